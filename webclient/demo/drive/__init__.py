"""Demo Drive: somebody else's service, with an OAuth authorization server of its own and files behind it.

It knows nothing of MCP. `authorization` says who may get which token, `app` shows the pages and serves the files.
"""
