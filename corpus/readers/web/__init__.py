"""Web pages and books, and the parts of them that mail uses."""
