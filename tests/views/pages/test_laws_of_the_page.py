"""Laws that hold on the page: a table that says the same in another way has the same model, figures and claims."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import cycle

import pandas as pd
import pytest
from live import finish as run
from live import soup, use_file
from model_cards import finish
from patience import wait_until
from test_across_rooms import FAMILIES, SEEDS, Case, by_estimator, case, changed

import rulelab as rl
from rulelab.views.cards.card import Proof
from rulelab.views.cards.scores import Scores
from rulelab.views.cards.scores import figures as figures_of
from rulelab.views.compare.view import CompareView
from rulelab.views.forms.address import Address
from rulelab.views.live.wording import standing
from rulelab.views.pages.tabs import Tabs
from rulelab.views.widgets.html import Html

_PLAIN = {name: f"{name}{name}0" for name in "abcdgw"}  # found again in what is written, as single letters are not
_NAMES = {"a": "size, in feet", "b": "b <= 3", "c": "é 'c'", "d": "1", "g": "who", "w": "n"}
_LEAST_GAPS = {
    "least-gap": {"max_length": 2, "max_conditions": 1},
    "least-gap-of-sets": {"max_complexity": 3, "max_conditions": 1},
}
_CLASSES = {0: "no, sir", 1: "yes"}
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Page:
    """What a page says of its run, which is kept, of its best model, and of the card of it, also line by line."""

    kept: str
    phase: str
    figures: dict[str, str]
    proof: Proof
    predicted: tuple[bool, ...]
    scores: Scores
    rules: str
    values: tuple[str, ...]
    said: tuple[str, ...]
    best: tuple[str, ...]


_OF_ROWS, _HASH = re.compile("^(rules may use|SHA-256)"), re.compile("[0-9a-f]{64}")


def lines(html: str) -> tuple[str, ...]:
    """Those that people see, but what a report says of how the rows were written, and of other runs."""
    page = soup(html)
    others = [*page(class_="tried"), *(cell.parent for cell in page("th", string=_OF_ROWS))]
    for unseen in [*page(["style", "title"]), *others]:
        unseen.decompose()
    return tuple(_HASH.sub("", " ".join(line.replace("\u202f", "").split())) for line in page.stripped_strings)


@pytest.fixture(autouse=True, scope="module")
def _store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    rl.views.keep_runs(rl.store.open(tmp_path_factory.mktemp("laws") / "runs.sqlite"))
    yield
    rl.views.keep_runs(None)


def opened(run: str = "") -> Tabs:
    tabs = Tabs(Address(""))
    tabs.runs.run = run
    wait_until(lambda: not tabs.runs.refresh())
    return tabs


def shown(tabs: Tabs, asked: Case, names: dict[str, str] = _PLAIN) -> Page:
    """What is said of the run that is on the page, and of its card alone; the page is closed then."""
    view, compare = tabs.made("Search").view, CompareView()
    view.on_pin = compare.pin
    view.pin()
    (pinned,) = compare.cards
    finish(pinned)
    now, card = standing(view.session), pinned.card
    assert card.proof is not None
    predicted = card.model.predict(asked.features.rename(columns=names)) == card.model.classes[-1]
    figures = {name: value for name, value in now.figures if name in ("objective", "proven", "lower bound", "gap")}
    said, model = lines(compare.as_report().getvalue()), view.part("model")
    best = tuple(line for pane in model.select(Html) if "rl-rules" in pane.css_classes for line in lines(pane.object))
    for each in (view, compare):
        each.close()
    values = tuple(value.text for each in figures_of(card, pinned.scores) for value in each.values)
    rules = pinned.exports.text("Rules (text)").getvalue()
    kept = tabs.runs.run
    return Page(kept, now.phase, figures, card.proof, tuple(predicted), pinned.scores, rules, values, said, best)


def written(table: pd.DataFrame, names: dict[str, str] = _PLAIN, **options) -> bytes:
    """The table as text, of which the columns have other names, and the classes words."""
    return table.assign(y=table["y"].map(_CLASSES)).rename(columns=names).to_csv(index=False, **options).encode()


def searched(asked: Case, contents: bytes | None = None, file: str = "table.csv", names=None) -> Tabs:
    """The page after a run on an uploaded file, by default of the case's table."""
    tabs, called = opened(), names or _PLAIN
    search = tabs.made("Search")
    roles = {called["g"]: "group", called["w"]: "weight" if asked.weighted else "ignore"}
    use_file(search.setup.table, written(asked.table, called) if contents is None else contents, file, **roles)
    fair = {} if asked.fairness is None else {"fairness": asked.fairness.replace("-", "_"), "tolerance": 0.2}
    options = _LEAST_GAPS[asked.family] if asked.family in _LEAST_GAPS else FAMILIES[asked.family][1]
    demands = {name: [called[column] for column in columns] for name, columns in asked.options.items()}
    family = asked.family.replace("-", "_")
    search.setup.choose(family=family, thresholds=3, min_group_size=0, **options, **demands, **fair)
    run(search.view)
    wait_until(lambda: not tabs.runs.refresh())
    return tabs


def parquet(table: pd.DataFrame) -> bytes:
    return table.assign(y=table["y"].map(_CLASSES)).rename(columns=_PLAIN).to_parquet()


def same(one: Page, other: Page, model: bool = True) -> None:
    """Both say the same; of models that are as good as each other, one may be another one unless ``model``."""
    assert (one.phase, one.figures) == (other.phase, other.figures)
    for name in ("proven", "scope", "bound"):
        assert getattr(one.proof, name) == getattr(other.proof, name)
    assert one.proof.objective == pytest.approx(other.proof.objective)
    assert one.proof.lower_bound == pytest.approx(other.proof.lower_bound)
    if model:
        assert one.predicted == other.predicted
        assert one.scores.training.counted == other.scores.training.counted
        for mine, theirs in zip(one.scores.groups.values(), other.scores.groups.values(), strict=True):
            assert [*mine["selection_rate"]] == pytest.approx([*theirs["selection_rate"]], nan_ok=True)


def same_words(one: Page, other: Page, names: dict[str, str] | None = None, factor: float = 1.0) -> None:
    """Line by line both say the same, with other names, or where the rows weigh ``factor`` times as much.

    Percentages and intervals stay then, and numbers of rows; of the others, sums grow with the weights.
    """
    assert len(one.said) == len(other.said)
    for mine, theirs in zip(one.said, other.said, strict=True):
        if mine.startswith("import rulelab"):
            continue  # the code names the columns as Python does
        for name, called in (names or {}).items():
            mine = mine.replace(name, called)
        words, others = (_NUMBER.sub("#", line).replace("# errors", "# error") for line in (mine, theirs))
        assert words == others
        for a, b in zip(_NUMBER.findall(mine), _NUMBER.findall(theirs), strict=True):
            sums = [] if "%" in mine or "–" in mine else [float(a) * factor]
            assert any(float(b) == pytest.approx(each, rel=1e-4) for each in (float(a), *sums)), (mine, theirs)


@lru_cache(16)
def plain(seed: int, weighted: bool | None = None) -> Page:
    """What is said of a case, of which several laws speak."""
    asked = case(seed) if weighted is None else replace(case(seed), weighted=weighted)
    return shown(searched(asked), asked)


@pytest.mark.long
@pytest.mark.few(3)
@pytest.mark.parametrize("seed", SEEDS[::2])
def test_rows_and_columns_in_another_order(seed: int) -> None:
    asked = case(seed)
    table = asked.table.sample(frac=1, random_state=seed)[["g", "d", "w", "c", "b", "y", "a"]]
    other = replace(asked, table=table)
    one, moved = plain(seed), shown(searched(other), other)
    same(one, moved, model=False)
    if one.rules == moved.rules:  # and not another list that is as good
        same_words(one, moved)


@pytest.mark.long
@pytest.mark.few(2)
@pytest.mark.parametrize("seed", SEEDS[::2])
def test_other_names_of_columns(seed: int) -> None:
    asked = case(seed)
    one, other = plain(seed), shown(searched(asked, names=_NAMES), asked, _NAMES)
    same(one, other)
    same_words(one, other, {called: _NAMES[name] for name, called in _PLAIN.items()})


@pytest.mark.long
@pytest.mark.few(3)
@pytest.mark.parametrize(("seed", "factor"), list(zip(SEEDS[1::2], cycle((1000, 1 / 7)))))
def test_weights_times_a_constant_change_only_sums(seed: int, factor: float) -> None:
    asked = replace(case(seed), weighted=True)
    scaled = changed(asked, w=lambda w: w * factor)
    one, other = plain(seed, True), shown(searched(scaled), scaled)
    assert (one.phase, one.predicted) == (other.phase, other.predicted)
    same_words(one, other, factor=factor)


@pytest.mark.long
@pytest.mark.few(3)
@pytest.mark.parametrize("seed", SEEDS[1::2])
def test_whole_weights_and_repeated_rows(seed: int) -> None:
    asked = replace(case(seed), weighted=True)
    table = asked.table.loc[asked.table.index.repeat(asked.table["w"])]
    repeated = replace(asked, table=table, weighted=False)
    one, other = plain(seed, True), shown(searched(repeated), asked)
    same(one, other, model=False)
    if one.rules == other.rules:  # of which rates are equal; intervals and stars ask for the number of rows
        assert one.values == other.values


@pytest.mark.parametrize(
    "write",
    [
        lambda table: (written(table.astype({"a": float}), sep=";", decimal=","), "table.csv"),
        lambda table: (parquet(table.convert_dtypes().astype(dict.fromkeys("cdg", "category"))), "table.parquet"),
    ],
    ids=["semicolon and comma, numbers with a point", "categories and nullable types"],
)
def test_the_same_cells_in_another_file(write: Callable[[pd.DataFrame], tuple[bytes, str]]) -> None:
    seed = SEEDS[0]
    asked = case(seed)
    same(plain(seed), shown(searched(asked, *write(asked.table)), asked))


@pytest.mark.long
@pytest.mark.few(5)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_is_what_the_estimator_fits_also_when_it_was_kept_and_is_opened(seed: int) -> None:
    """The estimator has other names of columns and classes."""
    asked = case(seed)
    one, answer = plain(seed), by_estimator(asked)
    assert one.proof.objective == pytest.approx(answer.objective)
    assert one.proof.proven == ("certified" in one.phase) == (answer.status == "optimal")
    assert one.predicted == tuple(each == 1 for each in answer.predicted)
    other = opened(one.kept)
    assert other.made("Search").view.session.recorded
    again = shown(other, asked)
    same(one, again)
    assert one.proof.equation == again.proof.equation
    best = [re.sub(r"; [a-z ]+ within 0\.2 between groups", "", line) for line in one.best]
    assert list(again.best) == best[: len(again.best)]  # what is fair, and what it costs, is on the card alone


@pytest.mark.long
@pytest.mark.parametrize("family", _LEAST_GAPS)
def test_a_least_gap_that_is_kept_and_opened(family: str) -> None:
    asked = replace(case(0), family=family)
    one = shown(searched(asked), asked)
    other = opened(one.kept)
    assert "has a smaller gap in missed positives between groups" in one.phase
    same(one, shown(other, asked))
