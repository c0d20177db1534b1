"""Spreadsheets (XLSX and related formats, XLS, ODS). Tables in them are detected in the same way as in CSV files."""
