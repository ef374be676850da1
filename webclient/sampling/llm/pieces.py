"""The answer of a model, piece by piece while it runs, and the error if it gives none."""

from __future__ import annotations

from dataclasses import dataclass

from webclient.domain.errors import WebclientError
from webclient.domain.i18n import N_
from webclient.domain.model import Json, Usage


@dataclass(frozen=True, slots=True)
class TextPiece:
    """The next part of the text."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolUsePiece:
    """The next part of a tool use; `index` counts the tool uses of an answer from 0.

    `arguments` is the next part of their JSON text. The whole and checked input is in `Done.result`.
    """

    index: int
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Done:
    """The end: a `CreateMessageResult` of MCP, with one text as a bare block, and what it used.

    `usage.is_estimate` says that the provider gave no figures, so the tokens were guessed from the characters.
    """

    result: Json
    usage: Usage


Piece = TextPiece | ToolUsePiece | Done


class ModelFailedError(WebclientError):
    """The model gave no answer; `reason` says why, for the person alone.

    The MCP server must not get it: it may name the provider, an address or a setting.
    """

    status = 502
    title = N_("The model failed")
