"""The table of all models: kept runs, pinned cards, points of sweeps and other methods, which are fitted here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import param
from panel.custom import Child, JSComponent

from ...assets import asset
from ...shown import with_interval
from ...sweeps.families import BINARIZING
from ..cards import html as card_html
from ..cards.report import Row, fitted, row_of
from ..cards.rows import Rows
from ..cards.scores import Score, Scores
from ..cards.view import ModelCard
from ..live.job import Job, Progress
from ..live.wording import NONE, together
from ..widgets.esc import plain
from ..widgets.style import sheet

OF_STORE = ("look", "open", "rename", "delete", "undo", "compare", "export", "check")
OF_PAGE = ("pin", "remove", "choose")  # what is asked of the kept runs, and of the models that are on the page

MEASURED = ("equal_opportunity", "")
"""What gaps are measured in at first, and whose: of no attribute in particular."""
Act = Callable[[str, list[str], str], None]


class ModelTable(JSComponent):
    """Every text is shown as text; what is pressed is told with the keys of rows.

    `on_act` takes one of `OF_STORE`, keys, and a text, of which the last two may be anything that the browser sends.
    """

    rows = param.List(default=[], doc="The kept runs, see `rulelab.views.kept_runs.runs.row`.")
    more = param.List(default=[], doc="The other models, see `row`; those with a letter have a card.")
    about = param.String(default="", doc="Where the runs are kept.")
    said = param.String(default="", doc="What was done, or what went wrong.")
    empty = param.String(default="", doc="What is said where nothing is listed.")
    gap = param.String(default="Gap %", doc="What the column of gaps is called.")
    measured = param.Tuple(default=MEASURED, doc="What gaps are measured in, and whose; empty: of the first attribute.")
    undo = param.Boolean(default=False, doc="Whether what was deleted last can be brought back.")
    uploader = Child(default=None, doc="Takes an archive.")

    _esm = asset("dom.js", "models_table.js")
    _stylesheets = [sheet("models_table.css")]

    def __init__(self, on_act: Act = lambda what, keys, text: None, **params: Any) -> None:
        super().__init__(**params)
        self._on_act = on_act
        self.on_page: Callable[[str, str], None] = lambda what, key: None

    def _handle_msg(self, data: Any) -> None:
        """From the browser, which may send anything."""
        if not isinstance(data, dict) or data.get("act") not in (*OF_STORE, *OF_PAGE):
            return
        hashes, text = data.get("hashes"), data.get("text")
        found = [each for each in hashes if isinstance(each, str)][:1000] if isinstance(hashes, list) else []
        if data["act"] in OF_STORE:
            self._on_act(data["act"], found, text[:200] if isinstance(text, str) else "")
        elif found:
            self.on_page(data["act"], found[0])


def row(key: str, title: str, said: str, figures: list[tuple[str, float]], **more: Any) -> dict[str, Any]:
    """A row of the table, by its key, with its title and what else is said of it.

    `figures`: accuracy on test and on training rows, gap, rules, proof and origin: as shown, and what they are sorted
    by; nan: not at all.
    `more`: ``letter`` of its card, ``tick`` (asked when it is ticked), ``acts``, ``same`` (equal for one model).
    """
    sort = [None if math.isnan(value) else value for _, value in figures]
    texts = [text for text, _ in figures]
    return {"key": key, "title": plain(title, 160), "said": plain(said, 600), "figures": texts, "sort": sort, **more}


def of_pin(shown: ModelCard, criterion: str, attribute: str = "") -> dict[str, Any]:
    """The row of a pinned card, with the gap between the groups of an attribute; empty: of the first that it has."""
    card, scores = shown.card, shown.scores
    made = (card.made or NONE, float(card.made.replace("-", "") or math.nan)) if card.made else unknown
    figures = [
        accuracy(scores.test),
        accuracy(scores.training),
        _gap(scores, criterion, attribute),
        (f"{len(card.model.rules)}", float(len(card.model.rules))),
        proof(card.proof is not None and card.proof.proven, card.proof, card.model.family),
        made,
    ]
    tested = card.facts.get("test rows", "")
    said = "trained on all rows" if tested == "none" else tested and f"tested on {tested} rows"
    same = "" if card.proof is None else same_of(card.title, card.proof.objective, card.proof.gap)
    return row(shown.letter, shown.title, said, figures, letter=shown.letter, tick="pin", same=same)


def of_method(name: str, training: Score | None, test: Score | None, size: str) -> dict[str, Any]:
    """The row of another method, fitted on the rows of a card."""
    rules = size.split(" ", 1)[0] if size[:1].isdigit() else NONE
    figures = [accuracy(test), accuracy(training), unknown, (rules, float(rules) if rules != NONE else math.nan)]
    return row(name, name, "other method, on the rows of the cards", [*figures, ("none", 0.0), unknown])


def is_listed(other: dict[str, Any], points: Sequence[dict[str, Any]]) -> bool:
    """Whether the row of another method is of the same fit as that of a point: all that both know is equal."""
    alike = (each["sort"] for each in points if each["title"].partition(",")[0] == other["title"])
    pairs = [[*zip(other["sort"], sort, strict=False)] for sort in alike]
    rated = (each for each in pairs if any(None not in accuracies for accuracies in each[:2]))
    return any(all(None in pair or math.isclose(*pair) for pair in each) for each in rated)


unknown = (NONE, math.nan)


def accuracy(score: Score | None) -> tuple[str, float]:
    """With its interval, in percent."""
    if score is None or math.isnan(value := score.rate("accuracy")):
        return unknown
    return with_interval(value, *score.interval("accuracy")), value


def same_of(title: str, objective: float | None, gap: float | None) -> str:
    """Equal for one model of one table of which as much is proven, wherever it is listed; empty: nobody can tell."""
    return "" if objective is None or gap is None else f"{title}: {objective!r}, gap {max(gap, 0.0)!r}"


def _gap(scores: Scores, criterion: str, attribute: str) -> tuple[str, float]:
    """With its interval on test rows, in percent."""
    gap = scores.gap(criterion, attribute)
    if gap is None or math.isnan(gap.value):
        return unknown
    interval = (max(gap.low, 0.0), gap.high) if scores.on_test else (math.nan, math.nan)
    return with_interval(gap.value, *interval), gap.value


def proof(optimal: bool, known: Any, family: str) -> tuple[str, float]:
    """Whether it is proven; else the gap that is left, where it is known of a run or a card."""
    if optimal:
        return "optimal", 2.0
    if known is None or known.objective is None:
        return "none", 0.0
    return f"gap {together(known.objective, known.lower_bound, family)[2]}", 1.0


METHODS: dict[str, dict[str, int]] = {
    "cart": {"max_leaf_nodes": 8},
    "random_forest": {},
    "logistic_regression": {},
    "compas_score": {},
}
"""Which baselines of a sweep are fitted to be compared with, with their parameters."""


class Others:
    """Other methods on the splits of the pinned cards, fitted in the background, once for each split of data."""

    def __init__(self) -> None:
        self._fitting: dict[tuple[Any, ...], tuple[Rows, Job]] = {}

    @property
    def standing(self) -> str:
        """What is being fitted; empty: nothing."""
        return next((job.standing for _, job in self._fitting.values() if job.busy), "")

    @property
    def error(self) -> str:
        """Why a fit has failed; empty: none has."""
        return next((job.error for _, job in self._fitting.values() if not job.busy and job.error), "")

    @property
    def fitted(self) -> list[tuple[str, Row]]:
        """What is fitted, over all splits."""
        return [pair for _, found in self._done for pair in found.items()]

    @property
    def _done(self) -> list[tuple[Rows, dict[str, Row]]]:
        return [(rows, job.result) for rows, job in self._fitting.values() if not job.busy and job.result]

    def fit(self, shown: Iterable[ModelCard]) -> None:
        """Fit them on the splits of the cards whose data are known, where that is not done."""
        for rows in (one.card.rows for one in shown):
            if rows is not None and rows.key not in self._fitting:
                self._fitting[rows.key] = rows, Job(partial(_fit, rows))

    def forget(self, shown: Iterable[ModelCard] = ()) -> None:
        """End and forget what is of no split of these cards."""
        kept = {one.card.rows.key for one in shown if one.card.rows is not None}
        for key in self._fitting.keys() - kept:
            self._fitting.pop(key)[1].cancel()

    def tables(self, shown: Sequence[ModelCard]) -> list[str]:
        """HTML tables of the cards and the other methods, one per split of data."""
        tables = []
        for rows, found in self._done:
            own = {
                f"{one.letter} {one.title}": row_of(one.card, one.scores)
                for one in shown
                if one.card.rows is not None and one.card.rows.key == rows.key
            }
            split = "all rows" if rows.test is None else f"{len(rows.training)} training and {len(rows.test)} test rows"
            made = f"conditions of {BINARIZING['thresholds']} groups per number"
            caption = f"For comparison, on the same split of {rows.data.name} ({split}), {made}"
            tables.append(card_html.comparison(own | found, caption))
        return tables


def _fit(rows: Rows, progress: Progress) -> dict[str, Row]:
    return fitted(rows, progress.report, METHODS)
