"""Answers a company's monitoring: whether the program is ready, and counts, ages and times for Prometheus.

Promises: no names, no content and no ids; values of labels are few and fixed; a scrape costs two small queries.
"""

from __future__ import annotations

from webclient.settings import Settings
from webclient.web.monitoring.routes import MetricsRecorder, router

__all__ = ["MetricsRecorder", "recorder_for", "router"]


def recorder_for(settings: Settings) -> MetricsRecorder | None:
    """Return the metrics, if the settings open them."""
    if settings.metrics_token is None:
        return None
    # Loading the library takes as long as a tenth of the start, which a program without metrics does without.
    from webclient.web.monitoring.metrics import Metrics  # noqa: PLC0415

    return Metrics()
