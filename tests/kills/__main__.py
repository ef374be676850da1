"""`python -m tests.kills --seed N --calls N`: kills at random moments, and prints a table of what came of each call."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys

from tests.kills.run import run

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32))
    parser.add_argument("--calls", type=int, default=200)
    given = parser.parse_args()
    sys.stdout.write(f"python -m tests.kills --seed {given.seed} --calls {given.calls}\n")
    lines, wrong = asyncio.run(run(given.seed, given.calls, report=lambda line: sys.stderr.write(f"{line}\n")))
    sys.stdout.write("\n".join([*lines, ""]))
    sys.exit("\n".join(wrong) or None)
