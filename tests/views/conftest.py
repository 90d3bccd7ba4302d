"""Two cards of one question, and the work beside the page."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from model_cards import first, second
from patience import wait_until

from rulelab.views.cards.card import Card
from rulelab.views.live.session import THREAD_NAME


@pytest.fixture(scope="module")
def card() -> Card:
    return first()


@pytest.fixture(scope="module")
def other() -> Card:
    return second()


@pytest.fixture
def await_workers() -> Callable[[], None]:
    """Waits until what the test began beside the page has ended, whether or not anybody has looked."""
    before = set(threading.enumerate())

    def wait() -> None:
        wait_until(lambda: not {each for each in threading.enumerate() if each.name == THREAD_NAME} - before)

    return wait
