"""The way of bytes to a server and back: HTTP and a process's pipes."""
