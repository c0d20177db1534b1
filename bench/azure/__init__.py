"""Bench of the Azure AI Search backend, with the tests' emulator of the service: `python -m bench azure`."""
