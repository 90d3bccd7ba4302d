"""Model cards for the tests: of quick searches, and of data with hostile names."""

from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from patience import wait_until

import rulelab as rl
from rulelab.families import FAMILIES
from rulelab.views.cards import card as cards
from rulelab.views.cards.card import Card
from rulelab.views.cards.view import ModelCard
from rulelab.views.compare.view import CompareView
from rulelab.views.live.recipe import PageRecipe

HOSTILE = "<img src=x onerror=alert(1)>"
COMMON = {"load": partial(rl.datasets.load, "diabetes"), "load_code": "rl.datasets.load('diabetes')", "test_share": 0.3}


def recipe(family: str = "rule_list", more: dict[str, Any] | None = None, **parameters: Any) -> PageRecipe:
    """A recipe on the diabetes data."""
    return PageRecipe(FAMILIES[family], {"thresholds": 3, "max_conditions": 1, **parameters}, **COMMON, more=more or {})


QUICK = recipe(regularization=0.02, beam_width=0)


def pinned(recipe: PageRecipe = QUICK, work: int | None = None) -> Card:
    """The card of a search, at its end or after some work."""
    prepared = recipe(lambda doing: None)
    return cards.of_search(prepared.search, rl.solve(prepared.search, work_limit=work), prepared)


@cache
def first() -> Card:
    """A card that is made once."""
    return pinned()


@cache
def second() -> Card:
    """Another one, of more rules."""
    return pinned(recipe(beam_width=0))


def hostile_data(n: int = 80) -> rl.datasets.Dataset:
    rng = np.random.default_rng(0)
    marks = pd.Series(np.where(rng.random(n) < 0.5, HOSTILE, "</table><script>alert(2)</script>"))
    frame = pd.DataFrame({HOSTILE: marks, "b": rng.integers(0, 5, n), "<b>group</b>": rng.choice([HOSTILE, "&"], n)})
    frame["<y>"] = np.where((marks == HOSTILE) ^ (rng.random(n) < 0.1), "<yes>", "<no>")
    return rl.datasets.from_frame(
        frame, "<y>", sensitive=["<b>group</b>"], name=f"{HOSTILE} set", source=HOSTILE, notes=HOSTILE
    )


def hostile_card() -> Card:
    parameters = {"thresholds": 2, "max_conditions": 1}
    load_code = f"rl.datasets.load({HOSTILE!r})"
    card = pinned(PageRecipe(FAMILIES["rule_list"], parameters, hostile_data, load_code=load_code))
    return cards.annotated(card, HOSTILE, "</style><script>alert(3)</script>")


def finish(shown: ModelCard | CompareView) -> None:
    wait_until(lambda: not shown.refresh())
    shown.refresh()
