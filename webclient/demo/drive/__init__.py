"""Demo Drive: a third-party service with its own OAuth authorization server and files.

It knows nothing of MCP. `authorization` says who may get which token, `app` shows the pages and serves the files.
"""
