"""The server on the SDK: tools that ask in every way, in both eras, and tools that go wrong on demand.

A tool that waits, waits for `release(name)` and never for time.
"""
