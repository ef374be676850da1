"""The HTTP client that the MCP SDK brings: httpx2 with 2.x, httpx with 1.x."""

try:
    import httpx2 as httpx
except ImportError:
    import httpx  # type: ignore[no-redef]

__all__ = ["httpx"]
