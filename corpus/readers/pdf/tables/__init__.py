"""Tables of PDF pages: detection, and grids if they can be read safely."""
