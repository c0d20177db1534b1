"""A stand-in for Azure AI Search: a real HTTP service in process that evaluates what it is sent.

It knows nothing of the code under test. Where the service has limits, refuses, or promises no order, so does this.
Not built: highlights, suggestions, complex and geographic fields, scoring functions, ranges in the full query syntax.
"""

from tests.doubles.azure_search.errors import Refused
from tests.doubles.azure_search.faults import Fault, Request
from tests.doubles.azure_search.odata import evaluate
from tests.doubles.azure_search.service import StandIn

__all__ = ["Fault", "Refused", "Request", "StandIn", "evaluate"]
