"""Readers for web pages and books; mail bodies in HTML use them too."""
