"""Measurements as ratios within one run, so that they mean the same on any machine."""

import os
import sys

# A program that is installed has its bytecode. Otherwise each program that is started here compiles all of our modules.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
