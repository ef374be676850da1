"""Asks a server something that a person waits for; what may go wrong becomes an error with a sentence."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from webclient.content.visible_text import visible
from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.protocol import INVALID_PARAMS, MalformedResultError, ServerError

LONGEST_WORDS = 500
"""Characters of a server's words in a sentence."""


@asynccontextmanager
async def asking(seconds: int, *, unknown: str) -> AsyncIterator[None]:
    """Give the server so many `seconds` for all requests of the block.

    Raises

    - NotFoundError with the sentence `unknown` if the server says that the parameters are invalid, as MCP has it for
      what a server does not know;
    - ConflictError for everything else that goes wrong.
    """
    try:
        with anyio.fail_after(seconds):
            yield
    except TimeoutError:
        raise ConflictError(_("The server did not answer within {n} seconds.").format(n=seconds)) from None
    except ServerError as error:
        if error.code == INVALID_PARAMS:
            raise NotFoundError(unknown) from error
        said = visible(error.message, LONGEST_WORDS)
        raise ConflictError(_("The server answered with an error: {said}").format(said=said)) from error
    except MalformedResultError as error:
        raise ConflictError(_("The server’s answer was not valid.")) from error
