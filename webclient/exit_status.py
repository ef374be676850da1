"""The exit statuses of the command line besides 0."""

USAGE = 2
"""A port, a config or a setting cannot be used."""

INTERRUPTED = 130
"""Ctrl-C has ended it (bash, Exit Status)."""
