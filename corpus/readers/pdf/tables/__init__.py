"""Tables of PDF pages: detection, and grids where these are safe."""
