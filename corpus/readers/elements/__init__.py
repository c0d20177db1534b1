"""The elements of documents of every format, and the blocks built from them."""
