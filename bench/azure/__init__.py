"""The bench of the Azure AI Search backend, against the stand-in service of the tests: `python -m bench azure`."""
