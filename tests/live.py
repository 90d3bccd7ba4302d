"""Small searches for the tests of the views."""

from __future__ import annotations

import asyncio
import inspect

import numpy as np
import panel as pn

import rulelab as rl
from rulelab.glossary import Term
from rulelab.views.forms.data_settings import DataSettings
from rulelab.views.search.view import SearchView
from rulelab.views.widgets.explained import MARK, by_slug

HOSTILE = "<img src=x onerror=alert(1)>"


def terms_of(css_classes: list[str]) -> list[Term | None]:
    """The entries of the glossary that CSS classes name."""
    found = [by_slug(each.removeprefix(MARK)) for each in css_classes if each.startswith(MARK)]
    assert None not in found
    return found


def problem(n_rows: int = 300, n_antecedents: int = 12) -> rl.Problem:
    """Random antecedents and noisy labels: no list is much better than another, so that a search takes a while."""
    rng = np.random.default_rng(0)
    A = rng.random((n_rows, n_antecedents)) < 0.4
    y = (A[:, 0] & ~A[:, 1]) ^ (rng.random(n_rows) < 0.35)
    return rl.Problem.from_arrays(A, y.astype(int))


def small_search() -> rl.RuleListSearch:
    return rl.RuleListSearch(problem(), regularization=0.01, beam_width=0)


def inexact_search() -> rl.RuleListSearch:
    """Weights of too many digits for 64 bits: the proof ends within their rounding."""
    rng = np.random.default_rng(0)
    A, y = rng.random((300, 6)) < 0.4, rng.random(300) < 0.5
    return rl.RuleListSearch(rl.Problem.from_arrays(A, y, sample_weight=rng.random(300)), regularization=0.02)


def long_search() -> rl.RuleListSearch:
    return rl.RuleListSearch(problem(1000, 150), regularization=0.003, beam_width=0)


def use_file(
    table: DataSettings, contents: bytes, name: str = "mine.csv", positive: object = None, **roles: str
) -> None:
    """Upload a file, give columns other roles than those that were guessed, and accept the sheet."""
    table.take(contents, name)
    use_roles(table, positive, **roles)


def use_roles(table: DataSettings, positive: object = None, **roles: str) -> None:
    """Open the sheet of the uploaded file, unless it is open, give columns roles, and accept it."""
    if table.draft is None:
        table.reopen()
    draft = table.draft
    assert draft is not None, table.complaint
    for column, role in roles.items():
        draft.give(column, role)
    if positive is not None:
        draft.choose_positive(draft.classes.index(positive))
    table.accept()
    assert table.draft is None, draft.error or draft.lacking


def export_menu(view: SearchView) -> tuple[pn.widgets.Button, dict[str, pn.widgets.FileDownload]]:
    """The button that opens the menu of exports under the answer, and what the open menu offers."""
    model = view.part("model")
    assert model is not None
    (button,) = (each for each in model.select(pn.widgets.Button) if each.label == "Export")
    (menu,) = (each for each in model.select(pn.Column) if any(isinstance(part, pn.FlexBox) for part in each))
    if not menu.visible:
        button.clicks += 1
    assert menu.visible
    return button, {each.label: each for each in menu.select(pn.widgets.FileDownload)}


def exported(view: SearchView, label: str) -> bytes:
    """What the browser gets from an entry of the menu of exports."""
    made = export_menu(view)[1][label].callback()
    content = asyncio.run(made) if inspect.iscoroutine(made) else made
    read = content.read()
    return read.encode() if isinstance(read, str) else read
