"""The element in Firefox and WebKit; see `__main__`."""
