"""Third-party clients that `try_clients.py` runs."""
