"""Bench of the Azure AI Search backend, with the tests' stand-in for the service: `python -m bench azure`."""
