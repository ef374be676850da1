"""The rows of calls, and the lines that servers log."""
