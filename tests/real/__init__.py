"""Dialogues with published MCP servers, started as their users start them; `docs/servers.md` is what comes of it."""
