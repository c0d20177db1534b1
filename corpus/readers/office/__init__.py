"""Readers for office documents."""
