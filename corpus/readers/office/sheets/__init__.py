"""Spreadsheets (XLSX)."""
