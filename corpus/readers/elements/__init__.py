"""What documents consist of, whatever their format, and how blocks are made of it."""
