"""The examples, started by their one command and used by two people in Chromium."""
