"""The element in Firefox; see `__main__`."""
