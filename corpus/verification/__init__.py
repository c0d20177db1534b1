"""Verification: whether the claims of an answer are supported by the sources that they cite."""
