"""Answers to a client's first requests before the SDK is loaded, from bytes that the SDK gave at an earlier start.

Importing the SDK takes most of a start, and some clients wait less long. `kept_file` holds the answers, `requests`
recognises what they fit, `early` writes them and queues every line for the SDK, `making` asks the SDK for them.
All but `making` import next to nothing.
"""
