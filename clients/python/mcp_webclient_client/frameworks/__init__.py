"""Agent frameworks whose tool calls wait for a decision: a module for each, with a line of yours.

Promises: only what the person approved runs; what a framework cannot do is not on the card, or is an error
before anything runs. `CAN` says for each framework what it can do; `docs/approvals.md` has it as a table.
"""

from mcp_webclient_client.frameworks.calls import CAN, Abilities

__all__ = ["CAN", "Abilities"]
