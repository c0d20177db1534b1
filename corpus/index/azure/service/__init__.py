"""Requests to an Azure AI Search service: clients, deadlines, retries, errors, and validation of responses."""
