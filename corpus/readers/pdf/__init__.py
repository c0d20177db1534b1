"""PDF files, which the reading process reads with PDFium."""
