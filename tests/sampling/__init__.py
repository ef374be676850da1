"""The stages between a server's request for a message and the answer."""
