"""Tests of the keys that others publish."""
