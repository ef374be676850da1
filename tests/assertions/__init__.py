"""Tests of signed assertions, against a real key server."""
