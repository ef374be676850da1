"""Calls from start to result: the driver, its checkpoint, and how a call ends."""
