"""Tables of PDF pages: detection, and grids if these are safe."""
