"""Spans of OpenTelemetry: recorded, sampled and exported to a collector."""
