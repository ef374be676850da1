"""The official conformance suite (npm `@modelcontextprotocol/conformance`) against the running program.

The suite is the server of each scenario; the program is the client, and `driver.py` the person who uses it.
"""
