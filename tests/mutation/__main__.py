"""Changes the rooms one after the other, or only the named ones; `make mutants`."""

from __future__ import annotations

import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.mcp_servers import ROOT

_STORE = [f"tests/store/test_{name}.py" for name in ("requests", "saved_answers", "requests_of_calls", "user_store")]
_STORE += [
    "tests/store/test_inbox_rows.py",
    "tests/store/test_answer_webhooks.py",
    "tests/inbox",
    "tests/calls/test_driver.py",
]

ROOMS: dict[str, tuple[str, Sequence[str]]] = {
    "identity": ("webclient/auth", ["tests/identity", "tests/http/security/test_auth.py"]),
    "assertions": ("webclient/auth/assertions.py", ["tests/assertions"]),
    "embedders": ("webclient/auth/embedders", ["tests/embedders"]),
    "security": ("webclient/web/http/security", ["tests/http/security", "tests/identity/test_host.py"]),
    "requests": ("webclient/store/requests/requests.py", _STORE),
    "inbox": ("webclient/inbox", ["tests/inbox", "tests/calls/test_driver.py"]),
    "consent": ("webclient/content/links", ["tests/consent"]),
    "secrets": ("webclient/content/secrets", ["tests/forms/test_secrets.py", "tests/forms/test_secret_requests.py"]),
}
"""The code to change, and the tests that should notice: those of the room, as they are fast."""

LEFT_OUT = "not PostgreSQL and not new_kind and not typescript"
"""Tests that take long: of the second database, and with servers or a whole program that start for each change."""


def main() -> int:
    """Change the wanted rooms; return 1 if the tests of one fail without a change."""
    parser = ArgumentParser(prog="python -m tests.mutation", description="Lists changes that no test notices.")
    parser.add_argument("rooms", nargs="*", choices=[[], *ROOMS], help="only these rooms")
    parser.add_argument("--most", type=int, default=60, help="how many changes of each file, by chance (60)")
    parser.add_argument("--seed", type=int, default=1, help="which ones these are (1)")
    wanted = parser.parse_args()
    plugin = ["-p", "tests.mutation.plugin", "-p", "no:cacheprovider", "-k", LEFT_OUT]
    results = []
    for room in wanted.rooms or ROOMS:
        code, tests = ROOMS[room]
        given = ["--most", str(wanted.most), "--seed", str(wanted.seed), "--mutate", *_files(code)]
        sys.stdout.write(f"== {room}\n")
        sys.stdout.flush()
        line = [sys.executable, "-m", "pytest", *tests, *plugin, *given]
        results.append(subprocess.run(line, cwd=ROOT, check=False).returncode)
    return int(any(results))


def _files(code: str) -> Iterator[str]:
    for path in sorted((ROOT / code).rglob("*.py")) if not code.endswith(".py") else [Path(ROOT / code)]:
        if path.name != "__init__.py":
            yield str(path.relative_to(ROOT))


if __name__ == "__main__":
    sys.exit(main())
