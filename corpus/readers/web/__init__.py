"""Web pages and books, and their pieces that mail uses."""
