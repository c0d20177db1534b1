"""Spreadsheets (XLSX and related formats, XLS, ODS). Their tables are detected in the same way as in CSV files."""
