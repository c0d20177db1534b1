"""Azure AI Search as an index. Importing this costs a third of a second, so it is done only where it answers."""

from corpus.index.azure.clients import Service, Timing
from corpus.index.azure.index import AzureIndex, Place
from corpus.index.azure.search import Wishes

__all__ = ["AzureIndex", "Place", "Service", "Timing", "Wishes"]
