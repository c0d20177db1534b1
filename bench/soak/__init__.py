"""Run an HTTP server with many clients, while its documents and their readers change and faults are injected."""
