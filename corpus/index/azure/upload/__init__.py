"""Upload the local index to the service.

At whatever point an upload is interrupted, nobody gains access to a row that they may not read.
"""
