"""Language models that can answer a sampling request in the place of the person.

Promises: nothing runs until `Models.generate` is called; the key of a provider is in no `ModelInfo`, piece, reason or
log; why a model failed is a reason for the person, and nothing of it is meant for an MCP server; ending the loop over
the pieces ends the request to the provider. The room knows nothing of MCP servers, input requests or the store.
"""

from __future__ import annotations

from webclient.sampling.llm.choice import Choice
from webclient.sampling.llm.estimate import tokens_of_request, tokens_of_text, usage
from webclient.sampling.llm.info import ModelInfo, Prices
from webclient.sampling.llm.models_file import read_models
from webclient.sampling.llm.pieces import Done, ModelFailedError, Piece, TextPiece, ToolUsePiece
from webclient.sampling.llm.scripted import Reply, ScriptedModel
from webclient.sampling.llm.service import Model, Models

__all__ = [
    "Choice",
    "Done",
    "Model",
    "ModelFailedError",
    "ModelInfo",
    "Models",
    "Piece",
    "Prices",
    "Reply",
    "ScriptedModel",
    "TextPiece",
    "ToolUsePiece",
    "read_models",
    "tokens_of_request",
    "tokens_of_text",
    "usage",
]
