"""The browser client for MCP elicitation: see and answer what MCP servers ask a person."""

__version__ = "0.1.0"
