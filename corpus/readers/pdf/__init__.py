"""PDFs, read with PDFium in the reading process."""
