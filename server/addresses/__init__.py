"""Addresses of pages, figures and files in answers: `file:` links, resource links and signed picture addresses."""
