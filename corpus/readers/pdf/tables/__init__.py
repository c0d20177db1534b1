"""Tables of PDFs: found, and read as a grid where that is safe."""
