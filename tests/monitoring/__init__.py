"""Tests of readiness and metrics."""
