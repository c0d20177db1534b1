"""Requests to an Azure AI Search service: clients, deadlines, retries, failures, and validated responses."""
