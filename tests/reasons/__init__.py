"""Sentences for reasons."""
