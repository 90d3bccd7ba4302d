"""Two cards of one question."""

from __future__ import annotations

import pytest
from model_cards import first, second

from rulelab.views.cards.card import Card


@pytest.fixture(scope="module")
def card() -> Card:
    return first()


@pytest.fixture(scope="module")
def other() -> Card:
    return second()
