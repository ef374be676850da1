"""The measurements that need no other program, once: a template whose parameters change must not break them unseen."""

from __future__ import annotations

import pytest

from bench import forms


def test_forms_can_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "TIMES", 1)
    assert all(each.ours > 0 for each in forms.measure())
