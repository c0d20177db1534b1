"""Text of a page that no reader would see."""
