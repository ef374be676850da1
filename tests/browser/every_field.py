"""The form of the demo tool with a field of every kind: its title, and one answer that fills in all of them."""

from __future__ import annotations

from webclient.domain.model import Json

TITLE = "Every kind of field"

ANSWER: Json = {
    "code": "ABC-123",
    "email": "ada@example.com",
    "website": "https://example.com/ada",
    "departure": "2026-07-01",
    "meeting": "2026-07-01T09:30:00+02:00",
    "budget": 12.5,
    "travellers": 3,
    "insurance": True,
    "season": "summer",
    "travel_class": "business",
    "seat": "A",
    "meals": ["breakfast", "lunch"],
    "extras": ["bag", "bike"],
}
