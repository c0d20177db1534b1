"""Documents and their blocks, with text, figures, headings, pages and lines."""
