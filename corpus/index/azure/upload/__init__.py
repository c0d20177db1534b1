"""The local index carried to the service, so that an interruption at any moment leaves nothing readable by more people
than it should be."""
