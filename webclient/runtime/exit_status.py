"""The exit statuses of the command line besides 0."""

USAGE = 2
"""A port, a config or a setting cannot be used: a restart does not help."""

TEMPORARY = 75
"""The database, the data folder or the port cannot be used now: a restart may help (EX_TEMPFAIL, sysexits(3))."""

INTERRUPTED = 130
"""Ctrl-C has ended it (bash, Exit Status)."""
