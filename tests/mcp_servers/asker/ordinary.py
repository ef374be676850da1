"""Tools and a resource that ask nothing."""

from __future__ import annotations

import json

from pydantic import BaseModel, Field

from tests.mcp_servers.asker.asking import AnyContext, speaks_rounds


class Address(BaseModel):
    """Where something goes."""

    street: str
    city: str = "Bern"


class Item(BaseModel):
    """One line of an order."""

    article: str = Field(min_length=2)
    amount: int = 1


class Weather(BaseModel):
    """A result with a structure."""

    city: str
    degrees: float


async def structured(city: str = "Basel") -> Weather:
    """Return structured content."""
    return Weather(city=city, degrees=21.5)


async def progress(ctx: AnyContext, steps: int = 3) -> str:
    """Report progress `steps` times."""
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps, f"Step {step}")
    return "done"


async def large(mebibytes: int) -> str:
    """Return a text of that size."""
    return "x" * mebibytes * 2**20


async def log_in(user: str, password: str) -> str:
    """Take a secret as an argument, and return only how long it is."""
    return str(len(password)) if user else ""


async def order(
    customer: str, items: list[Item], bill_to: Address | None = None, labels: dict[str, str] | None = None
) -> str:
    """Take arguments that nest, and return them."""
    given = {"bill_to": bill_to and bill_to.model_dump(exclude_unset=True), "labels": labels}
    said = {"customer": customer, "items": [item.model_dump(exclude_unset=True) for item in items]}
    return json.dumps(said | {name: value for name, value in given.items() if value is not None})


async def log(ctx: AnyContext, text: str) -> str:
    """Log a text on several levels, and return."""
    await ctx.log("debug", text)
    await ctx.log("error", {"what": text})
    return "logged"


async def notify_changes(ctx: AnyContext) -> str:
    """Notify that the list of tools has changed."""
    await (ctx.notify_tools_changed() if speaks_rounds(ctx) else ctx.session.send_tool_list_changed())
    return "notified"


async def extensions(ctx: AnyContext) -> str:
    """Return the extensions that the client announced, as the SDK read them."""
    announced = ctx.client_capabilities
    return json.dumps(announced.extensions if announced else None)


async def text() -> str:
    """Return the text of a resource."""
    return "Some text."


TOOLS = (structured, progress, large, log_in, order, notify_changes, log, extensions)
