"""How long tests wait for what must come: a busy machine is no fault, and what never comes is still told."""

from __future__ import annotations

# Seconds. What promises a time of its own, such as the deadline of a search, is not waited for this long.
PATIENCE = 240.0
