"""Spans are recorded if the environment says so, with the variables `OTEL_…` that OpenTelemetry has for that."""

from __future__ import annotations

from collections.abc import Mapping

from webclient.domain.errors import WebclientError
from webclient.domain.spans import Spans

PROTOCOL = "http/protobuf"
"""The only form of OTLP whose package is in the extra; collectors take it at port 4318."""

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")


class SpansError(WebclientError):
    """The environment wants spans that cannot be exported; the message says why."""


def open_spans(environment: Mapping[str, str]) -> Spans:
    """Return what records spans as the environment says: nothing unless it names an exporter or an endpoint.

    Raises SpansError.
    """
    named = any(environment.get(name) for name in _ENDPOINTS)
    exporter = environment.get("OTEL_TRACES_EXPORTER") or ("otlp" if named else "none")
    if exporter == "none" or environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return Spans()
    protocol = next((environment[name] for name in _PROTOCOLS if environment.get(name)), PROTOCOL)
    if (exporter, protocol) != ("otlp", PROTOCOL):
        raise SpansError(f"Traces can be exported with otlp over {PROTOCOL} only, not with {exporter} over {protocol}.")
    try:
        # Half a second to load, for the few who use it.
        from webclient.network.otel_spans import OtelSpans, otlp_exporter  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise SpansError(
            f"The variables OTEL_… want traces, which need a package that is not installed ({error.name}): "
            "pip install 'mcp-webclient[otel]', or set OTEL_TRACES_EXPORTER=none, then start again."
        ) from None
    return OtelSpans(otlp_exporter())
