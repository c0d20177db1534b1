"""Text documents and presentations of other office programs (ODT, ODP, RTF)."""
