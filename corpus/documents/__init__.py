"""Documents and their blocks: text, figures, headings, pages and lines."""
