"""One session with a server: how it begins, lives and ends, and what the server asks in it."""
