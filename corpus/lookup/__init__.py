"""Resolve client input to a document or to a filter value."""
