"""Text recognition (OCR): the words of pages and figures that are pictures."""
