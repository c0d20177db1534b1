"""From what a client wrote to a document or to a value of a filter."""
