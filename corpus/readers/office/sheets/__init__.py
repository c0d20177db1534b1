"""Spreadsheets (XLSX and its kin, XLS, ODS). Their tables are found as in CSV files."""
