"""The report of an evaluation, as a person reads it."""
