"""Presentations (PPTX)."""
