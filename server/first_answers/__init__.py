"""Answer a client's first requests before the SDK is loaded, with bytes that the SDK produced at an earlier start.

Importing the SDK takes most of the start-up time, and some clients time out before it is done. `kept_file` stores the
answers, `requests` recognises the requests that they fit, `early` sends them and queues every line for the SDK, and
`making` obtains them from the SDK. All modules except `making` import almost nothing.
"""
