"""A randomised run: calls, agents, answers, faults and restarts are mixed at random; a model says what must come of it.

`python -m tests.model --seed N --steps N` does one run again and prints every step.
"""
