"""Profile a workload, function by function."""
