"""Answer a client's first requests before the SDK is loaded, with bytes that the SDK produced at an earlier start.

Importing the SDK takes most of the start-up time, and some clients time out before. `kept_file` holds the answers,
`requests` recognises what they fit, `early` writes them and queues every line for the SDK, `making` asks the SDK for
them. All but `making` import next to nothing.
"""
