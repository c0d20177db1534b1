"""Spreadsheets: XLSX and its kin, XLS, ODS; their tables are found as in CSV files."""
