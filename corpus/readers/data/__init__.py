"""Data and code: files whose lines are their places."""
