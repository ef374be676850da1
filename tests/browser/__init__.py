"""The pages as a person uses them: in the real Chromium, against the real program with a real MCP server."""
