"""The command `mcp-webclient` as `python -m webclient`."""

from __future__ import annotations

from webclient.runtime import main

if __name__ == "__main__":
    main()
