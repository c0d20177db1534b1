"""Clients that others wrote, as `try_clients.py` runs them."""
