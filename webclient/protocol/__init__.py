"""The MCP SDK, and only here: one session with a server, its transport, and every message in and out."""
