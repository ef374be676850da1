"""Programs that the Makefile runs: with the standard library alone, as they run before anything is installed."""
