"""Readers for web pages and books; HTML bodies of emails use them too."""
