"""Cards of two models of one question, which no test changes."""

from __future__ import annotations

import pytest
from model_cards import first, second

from rulelab.views.cards.card import Card


@pytest.fixture(scope="session")
def card() -> Card:
    return first()


@pytest.fixture(scope="session")
def other() -> Card:
    return second()
