"""Upload the local index to the service.

Whenever an upload is interrupted, no row is readable by more people than it should be.
"""
