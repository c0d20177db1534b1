"""The elements of documents of every format, and the blocks made of them."""
