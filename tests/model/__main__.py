"""`python -m tests.model --seed N --steps N --runs N`: does runs with consecutive seeds, and prints every step."""

from __future__ import annotations

import argparse
import asyncio
import sys

from tests.model.run import BrokenRuleError, Run

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    try:
        for seed in range(options.seed, options.seed + options.runs):
            asyncio.run(Run(seed, options.steps, print).go())
    except BrokenRuleError as broken:
        sys.exit(str(broken))
