"""Mail files (EML, MSG, mbox) and calendars."""
