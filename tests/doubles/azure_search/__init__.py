"""An emulator of Azure AI Search: a real HTTP service in the test process that evaluates requests.

It does not know the code under test. It has the limits and refusals of the service, and promises no order where the
service does not.
It does not support highlights, suggestions, complex and geographic fields, scoring functions, and ranges in the full
query syntax.
"""

from tests.doubles.azure_search.errors import Refused
from tests.doubles.azure_search.faults import Fault, Request
from tests.doubles.azure_search.odata import evaluate
from tests.doubles.azure_search.service import StandIn

__all__ = ["Fault", "Refused", "Request", "StandIn", "evaluate"]
