"""Two cards of one question, and the work beside the page."""

import threading
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from model_cards import first, second

from rulelab.views.cards.card import Card
from rulelab.views.live import ticker
from rulelab.views.live.job import THREAD_NAME


@pytest.fixture(scope="module")
def card() -> Card:
    return first()


@pytest.fixture(scope="module")
def other() -> Card:
    return second()


@pytest.fixture
def at_work() -> Callable[[], bool]:
    """Whether something that the test began beside the page goes on; whether or not anybody has looked."""
    before = set(threading.enumerate())
    return lambda: any(each.name == THREAD_NAME and each not in before for each in threading.enumerate())


class ByHand:
    """The beats of pages that go on, which come when the test calls for them."""

    def __init__(self) -> None:
        self.going: list[Any] = []

    def beat(self) -> bool:
        """One beat of each; True while some go on."""
        for each in list(self.going):
            each.callback()
        return bool(self.going)

    def callback(self, callback: Callable[[], Any], **_: Any) -> Any:
        """What stands for a periodic callback of Panel."""
        made = SimpleNamespace(callback=callback)
        made.start, made.stop = partial(self.going.append, made), partial(self.going.remove, made)
        return made


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> ByHand:
    beats = ByHand()
    monkeypatch.setattr(ticker, "PeriodicCallback", beats.callback)
    monkeypatch.setattr(ticker, "in_turn", lambda tick: tick)
    return beats
