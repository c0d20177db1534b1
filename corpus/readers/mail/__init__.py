"""Mail, as programs save it (EML, MSG)."""
