"""Time limits of tests that wait: a busy machine must not fail a test, but a missing result must."""

from __future__ import annotations

# Seconds to wait. Tests of a promised time, such as the deadline of a search, have their own limits.
PATIENCE = 240.0
