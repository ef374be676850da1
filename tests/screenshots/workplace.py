"""`python -m tests.screenshots.workplace NAME`: two servers of a workplace, which fill the inbox."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Elicit, ElicitationResult, MCPServer, Resolve
from mcp.types import ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field

DESTRUCTIVE = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True)


def _without_names(schema: dict[str, Any]) -> None:
    """Remove the name and the docstring of a class, which are for readers of this file."""
    del schema["title"], schema["description"]


PLAIN = ConfigDict(json_schema_extra=_without_names)


class Consent(BaseModel):
    """A form without fields."""

    model_config = PLAIN


class Note(BaseModel):
    """A form with an optional text."""

    model_config = PLAIN

    note: str | None = Field(None, title="Note for the books", max_length=200)


class Signature(BaseModel):
    """A form with a choice."""

    model_config = PLAIN

    signer: Literal["Ada Byron", "Grace Hopper", "Alan Turing"] = Field(title="Signed by")


def ask_to_deploy(version: str, environment: str) -> Elicit[Consent]:
    """Return the question before a deployment."""
    return Elicit(f"Deploy webclient {version} to {environment} now?", Consent)


def ask_to_delete(branch: str) -> Elicit[Consent]:
    """Return the question before a branch is deleted."""
    return Elicit(f"Delete the branch {branch}? It has 2 commits that are on no other branch.", Consent)


def ask_for_note(order: int, amount: float) -> Elicit[Note]:
    """Return the question before a refund."""
    return Elicit(f"Approve the refund of €{amount:,.2f} for order {order} to ACME GmbH?", Note)


def ask_for_signature(invoice: int) -> Elicit[Signature]:
    """Return the question before an invoice is sent."""
    return Elicit(f"Who signs the invoice {invoice}?", Signature)


def deploy(
    version: str, environment: str, consent: Annotated[ElicitationResult[Consent], Resolve(ask_to_deploy)]
) -> str:
    """Deploy a version of the program to an environment."""
    return f"{version} on {environment}: {consent.action}"


def delete_branch(branch: str, consent: Annotated[ElicitationResult[Consent], Resolve(ask_to_delete)]) -> str:
    """Delete a branch of the repository."""
    return f"{branch}: {consent.action}"


def refund_order(order: int, amount: float, note: Annotated[ElicitationResult[Note], Resolve(ask_for_note)]) -> str:
    """Pay the amount of an order back."""
    return f"{order}, {amount}: {note.action}"


def send_invoice(invoice: int, signature: Annotated[ElicitationResult[Signature], Resolve(ask_for_signature)]) -> str:
    """Send an invoice, once a person has signed it."""
    return f"{invoice}: {signature.action}"


def deploy_bot() -> MCPServer[Any]:
    """Return the server that deploys."""
    server: MCPServer[Any] = MCPServer(name="deploy-bot", title="Deploy bot", log_level="WARNING")
    server.add_tool(deploy, title="Deploy", annotations=DESTRUCTIVE, structured_output=False)
    server.add_tool(delete_branch, title="Delete a branch", annotations=DESTRUCTIVE, structured_output=False)
    return server


def billing() -> MCPServer[Any]:
    """Return the server that handles money."""
    server: MCPServer[Any] = MCPServer(name="billing", title="Billing", log_level="WARNING")
    server.add_tool(refund_order, title="Refund an order", annotations=DESTRUCTIVE, structured_output=False)
    server.add_tool(send_invoice, title="Send an invoice", structured_output=False)
    return server


SERVERS = {"deploy-bot": deploy_bot, "billing": billing}

if __name__ == "__main__":
    SERVERS[sys.argv[1]]().run("stdio")
