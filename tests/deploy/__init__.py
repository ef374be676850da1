"""Tests of the files in deploy/: as they are, with addresses and paths replaced."""
