"""The pages of calls, and how results are shown."""
