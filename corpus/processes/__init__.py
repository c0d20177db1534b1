"""Child processes, locks, progress, caches and tracing."""
