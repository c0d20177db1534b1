"""Text documents (DOCX, ODT, RTF) and OpenDocument slides (ODP)."""
