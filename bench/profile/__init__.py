"""Profile one piece of work, function by function."""
