"""A provider of a model: where it is, how it is asked, and what it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from webclient.sampling.llm.chat_request import Accepts

LIMIT = "max_tokens"
"""The usual name of the limit in the API."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProvider:
    """Where a model runs and how it is asked.

    `url` is the base URL, up to `/v1`; `key` the secret; `key_variable` the environment variable it comes from; `omit`
    the parameters that are never sent; `seconds` the longest silence. `ca_file` is that of the
    settings; `transport` replaces the network in tests.
    """

    url: str
    key: str | None = field(default=None, repr=False)
    key_variable: str | None = None
    omit: frozenset[str] = frozenset()
    limit: str = LIMIT
    streams: bool = True
    accepts: Accepts = field(default_factory=Accepts)
    seconds: float = 300
    ca_file: Path | None = None
    transport: httpx2.AsyncBaseTransport | None = None


def host_of(url: str) -> str:
    """Return the host of a URL, with the port if it has one."""
    return urlsplit(url).netloc.rpartition("@")[2]
