"""A key server: serves the files of a folder, and writes into its file `fetched` what was fetched."""

from __future__ import annotations

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Files(SimpleHTTPRequestHandler):
    """Files by name."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Write nothing to the terminal."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:  # noqa: ARG002
        """Note the path of a request."""
        with (Path(self.directory) / "fetched").open("a", encoding="utf-8") as log:
            log.write(f"{self.path}\n")


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=sys.argv[1]))
    print(f"Listening: http://127.0.0.1:{server.server_port}", flush=True)  # noqa: T201
    server.serve_forever()
