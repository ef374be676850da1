"""The drill of a company: each part of a real set-up fails in turn, while programs ask and people answer.

Started by `deploy/drill`; docs/deploy.md has what it printed.
"""
