"""Readers for mail files (EML, MSG, mbox) and calendars."""
