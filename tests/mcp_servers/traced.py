"""The asking server with OpenTelemetry, as a company runs its servers: `python -m tests.mcp_servers.traced`.

It exports each span at once, to the collector of the environment.
"""

from __future__ import annotations

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace import set_tracer_provider

from tests.mcp_servers.asker.__main__ import create_server
from tests.mcp_servers.serving import read_options, serve

if __name__ == "__main__":
    provider = TracerProvider(resource=Resource.create({"service.name": "asker"}))
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
    set_tracer_provider(provider)
    options = read_options()
    serve(create_server(options.state_key), options)
