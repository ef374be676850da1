"""The interface of the metrics, so that the library behind them is loaded only where they are wanted."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from webclient.services import Services
from webclient.web.http import ServedRequest

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""The text format of Prometheus."""


class MetricsRecorder(Protocol):
    """Counts what happens, and writes all metrics on demand."""

    def following(self, services: Services) -> AbstractAsyncContextManager[None]:
        """Measure answers while the block runs."""
        ...

    def observe(self, served: ServedRequest) -> None:
        """Count a served request."""
        ...

    async def text(self, services: Services) -> bytes:
        """Return all metrics as they are now."""
        ...
