"""A server over HTTP under many clients, while its documents and their readers change and faults are injected."""
