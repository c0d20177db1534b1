"""Upload the local index to the service.

If an upload is interrupted at any point, nobody can read a row that they should not be able to read.
"""
