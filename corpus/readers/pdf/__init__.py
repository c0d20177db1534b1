"""PDF files, read with PDFium in the reading process."""
