"""The Azure AI Search engine. Importing it takes a third of a second, so it is imported only if this engine is used."""

from corpus.index.azure.azure_index import AzureIndex, Place
from corpus.index.azure.search import Wishes
from corpus.index.azure.service.clients import Service, Timing

__all__ = ["AzureIndex", "Place", "Service", "Timing", "Wishes"]
