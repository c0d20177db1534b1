"""Maintenance of an index by its keeper: check it, rebuild its derived parts, export and import it."""
