"""A randomised run: calls, answers, faults and restarts are mixed at random, and a model says what must come of them.

`python -m tests.model --seed N --steps N` does one run again and prints every step.
"""
