"""The guided demo: scenes that a person runs with one click, on a page that says what happened.

Only the command `demo` serves it. Its servers, questions and answers are real; this package only starts the calls.
"""

from __future__ import annotations

from webclient.web.pages.guide.progress import PATH, Guide
from webclient.web.pages.guide.routes import router

__all__ = ["PATH", "Guide", "router"]
