"""The elements of documents in every format, and the blocks built from them."""
