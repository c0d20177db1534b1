"""Text recognition (OCR): the words in pages and figures that are pictures."""
