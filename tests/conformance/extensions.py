"""The table of extensions in `docs/conformance.md`: announced, implemented, and with which software it was tested."""

from __future__ import annotations

from dataclasses import dataclass

from webclient.domain.model import Extension, extensions_for


@dataclass(frozen=True, slots=True)
class Row:
    """An extension by its identifier: what is `implemented`, and another maker's implementation it was tested with."""

    identifier: str
    implemented: str
    tested_with: str

    @property
    def announced(self) -> str:
        """When it is announced to a server, unless its switch is off."""
        if self.identifier not in list(Extension):
            return "no"
        over_stdio, both_versions = (
            self.identifier in extensions_for(http=False, modern=True),
            self.identifier in extensions_for(http=True, modern=False),
        )
        where = "stdio and HTTP" if over_stdio else "HTTP"
        return f"{where}, {'both versions' if both_versions else '2026-07-28'}"


ROWS = (
    Row(
        Extension.CLIENT_CREDENTIALS,
        "secret or signed assertion (`docs/sign-in.md`)",
        "scenarios `auth/client-credentials-jwt` and `-basic`",
    ),
    Row(
        Extension.ENTERPRISE,
        "token exchange for an identity assertion grant, with the user's own sign-in (`docs/sign-in.md`)",
        "scenario `auth/enterprise-managed-authorization`, npm `oidc-provider`",
    ),
    # The drafts of these two name no identifier and ask for no announcement; the names are the suite's.
    Row(
        "io.modelcontextprotocol/auth/dpop",
        "tokens that are bound to a key (`docs/sign-in.md`)",
        "scenarios `auth/dpop` and `-nonce`, npm `oidc-provider`",
    ),
    Row(
        "io.modelcontextprotocol/auth/wif",
        "assertion from a file, an address or the environment (`docs/sign-in.md`)",
        "scenario `auth/wif-jwt-bearer`",
    ),
    Row(Extension.TASKS, "all of it (`docs/tasks.md`)", "FastMCP 4 with `fastmcp-tasks`"),
    Row("io.modelcontextprotocol/skills", "listed, read and verified (`docs/skills.md`)", "FastMCP 4"),
    Row("io.modelcontextprotocol/ui", "no", ""),
)

HEAD = """
## Extensions

An extension is announced in `capabilities.extensions`: once in `initialize` of 2025-11-25, and with each request of
2026-07-28. Each has a switch on the page *Permissions* of a server. A server on the official SDK prints what it saw,
for each combination of switches (`tests/servers/test_extensions.py`). Extensions whose documents do not ask clients
for that are not announced.

| extension | announced | implemented | tested with |
| --- | --- | --- | --- |
"""


def section() -> str:
    """Return the section of the page."""
    return HEAD + "".join(
        f"| `{row.identifier}` | {row.announced} | {row.implemented} | {row.tested_with} |\n" for row in ROWS
    )
