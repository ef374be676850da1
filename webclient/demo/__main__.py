"""`python -m webclient.demo`: the demo server over stdio, or with `--http` over streamable HTTP on loopback."""

from __future__ import annotations

from webclient.demo.server import create_server
from webclient.demo.serving import serve

if __name__ == "__main__":
    serve(create_server, module="webclient.demo", about=__doc__, announce="Demo server")
