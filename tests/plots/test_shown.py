"""What shows itself in a notebook and in a terminal: true figures, escaped texts, progress on demand."""

import io
import re
from contextlib import redirect_stderr
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from IPython.core.formatters import DisplayFormatter
from live import rows, tags

import rulelab as rl
from rulelab.families.wording import adding_up
from rulelab.shown import Shown, percent, rows_below, share

HOSTILE = "<img src=x onerror=alert(1)>&\"'\n\x1b[31m"


def figures(html: str) -> dict[str, str]:
    return dict(row for row in rows(html) if len(row) == 2)


@pytest.fixture(scope="module")
def data() -> rl.datasets.Dataset:
    rng = np.random.default_rng(4)
    table = pd.DataFrame({HOSTILE: rng.integers(0, 3, 60), "b": rng.random(60) < 0.5, "c": rng.random(60) < 0.5})
    target = ((table["b"] & (table[HOSTILE] > 0)) ^ (rng.random(60) < 0.1)).astype(int).rename("y")
    return rl.datasets.from_frame(table.assign(y=target), "y")


@pytest.fixture(scope="module")
def everything(data: Any) -> dict[str, Any]:
    conditions = rl.Binarizer(thresholds=3).fit_transform(data.X)
    antecedents = rl.mine_antecedents(conditions, 2)
    problem = rl.Problem.from_antecedents(antecedents, data.y)
    search = rl.RuleListSearch(problem, 0.02)
    snapshot = rl.solve(search)
    recording = rl.Recording(rl.RuleListSearch(problem, 0.05))
    assert list(recording.steps())
    ablation = rl.Ablation(rl.RuleListSearch(problem, 0.05))
    assert list(ablation.steps())
    sweep = rl.sweep(data, grid={"regularization": [0.1], "max_conditions": [1]}, cv=2)
    sweep.wait()
    model = snapshot.incumbent.model
    certificate = search.certificate()
    several = rl.search(rl.MultiClassProblem.from_antecedents(antecedents, np.arange(60) % 3), regularization=0.1)
    proof_of_several = (rl.solve(several), several.certificate())[1]
    evaluation = model.evaluate(data.X, data.y, groups=np.where(data.X["b"], HOSTILE, "other"), regularization=0.02)
    return {
        "data set": data,
        "antecedents": antecedents,
        "problem": problem,
        "a search to come": rl.RuleListSearch(problem, 0.02),
        "search": search,
        "snapshot": snapshot,
        "recording": recording,
        "ablation": ablation,
        "sweep": sweep,
        "near-optimal lists": rl.near_optimal(search, ratio=0.1),
        "certificate": certificate,
        "certificate from elsewhere": rl.Certificate(HOSTILE, HOSTILE, {HOSTILE: 0.1}, {HOSTILE: np.zeros(3)}),
        "verification": rl.verify(problem, model, certificate),
        "refusal": rl.verify(problem, model, replace(certificate, family=HOSTILE)),
        "proof of several classes": proof_of_several,
        "evaluation": evaluation,
        "model": model,
        "classifier": rl.RuleListClassifier(0.02, thresholds=3).fit(data.X, data.y),
        "rule set": rl.RuleSetClassifier(max_complexity=4, thresholds=3).fit(data.X, data.y).model_,
    }


def html_of(thing: Any) -> str:
    """What a notebook shows of it."""
    shown, _ = DisplayFormatter().format(thing, include={"text/html"})
    return shown["text/html"]


def test_nothing_from_data_is_markup_or_a_control_character(everything: dict[str, Any]) -> None:
    for name, thing in everything.items():
        html = html_of(thing)
        assert "<img" not in html, name
        assert "\x1b" not in html, name
        if isinstance(thing, Shown):
            assert set(tags(html)) <= {"div", "b", "table", "thead", "tbody", "tr", "td", "th", "caption"}, name
            assert not re.search(r"color|background", html), name
            assert not {"\n", "\x1b"} & set(repr(thing)), name


def test_figures_are_those_of_the_search(everything: dict[str, Any], data: Any) -> None:
    snapshot, problem = everything["snapshot"], everything["problem"]
    for name in ("snapshot", "search"):
        told = figures(html_of(everything[name]))
        assert float(told["objective"]) == pytest.approx(snapshot.incumbent.objective, abs=1e-7)
        assert told["gap"] == "0"
        assert told["errors"] == str(snapshot.incumbent.errors)
        assert html_of(snapshot.incumbent.model) in html_of(everything[name])
        assert "optimal" in repr(everything[name])
    told = figures(html_of(problem))
    assert told["rows"] == "60"
    A, y = everything["antecedents"].matrix, data.y.to_numpy()
    alike = pd.DataFrame(A).assign(y=y).groupby(list(range(A.shape[1])))["y"]
    assert told["errors that no model avoids"] == str(sum(min(part.sum(), (1 - part).sum()) for _, part in alike))
    told = figures(html_of(everything["antecedents"]))
    assert told["kept"] == str(A.shape[1])
    supports = [row[1] for row in rows(html_of(everything["antecedents"])) if row[1:] and " <= " in row[0]]
    assert supports[0] == str(A[:, 0].sum())
    assert "not begun" in repr(everything["a search to come"])


def test_proofs_and_their_checks_say_what_they_prove(everything: dict[str, Any]) -> None:
    objective = everything["snapshot"].incumbent.objective
    told = figures(html_of(everything["verification"]))
    assert float(told["objective"]) == float(told["lower bound"]) == pytest.approx(objective, abs=1e-7)
    assert told["regularization"] == "0.02"
    assert repr(everything["verification"]).startswith("<Verification, proven optimal: no rule list has")
    refused = everything["refusal"]
    assert repr(refused).startswith("<Verification, refused: nothing is proven: there is no checker")
    assert "objective" not in figures(html_of(refused))
    told = figures(html_of(everything["certificate"]))
    sets = everything["certificate"].arrays["sets"]
    assert f"sets ({len(sets)} x {sets.shape[1]})" in told["proof"]
    assert told["made for the data"] == everything["problem"].fingerprint
    bound = rl.results.Verification(
        False, "the certificate is for a bound", "bound", lower_bound=0.1, among="has 1 rule"
    )
    assert repr(bound).startswith("<Verification, only a bound is proven:")
    assert figures(html_of(bound))["among those of which each"] == "has 1 rule"


def test_a_classifier_and_a_stopped_search_show_what_is_proven(everything: dict[str, Any], data: Any) -> None:
    classifier = everything["classifier"]
    assert str(classifier).endswith(str(classifier.model_))
    assert "certified optimal, objective" in str(classifier)
    assert html_of(classifier.model_) in html_of(classifier)
    assert "models_" not in str(rl.RuleListClassifier())
    rng = np.random.default_rng(0)
    early = rl.RuleListClassifier(0.001, time_limit=0, beam_width=0)
    with pytest.warns(match="time limit"):
        early.fit(rng.random((300, 9)) < 0.5, rng.random(300) < 0.5)
    assert "certified" not in str(early)
    assert f"proven to be within {adding_up(early.objective_, early.lower_bound_)[2]} of the optimum" in str(early)
    search = rl.RuleListSearch(early.search_.problem, 0.001, beam_width=0)
    snapshot = rl.solve(search, work_limit=1)
    assert "work limit" in repr(snapshot)
    assert "work limit" in repr(search)
    assert float(re.search(r"gap ([\d.]+)", repr(snapshot))[1]) > 0  # type: ignore[index]
    several = rl.RuleListClassifier(0.1, thresholds=2, max_conditions=1).fit(data.X, np.arange(60) % 3)
    assert [f"{k} against the rest: certified" in str(several) for k in range(3)] == [True] * 3


def test_long_tables_are_cut_and_say_so() -> None:
    cells = rows(rows_below(pd.DataFrame(np.arange(300).reshape(20, 15)), most=4, columns=3))
    assert [len(row) for row in cells] == [4] * 6
    assert cells[-1] == ["…"] * 4
    assert cells[1] == ["0", "1", "2", "…"]


def test_progress_is_shown_only_when_asked_for(everything: dict[str, Any], data: Any) -> None:
    def said(run: Any) -> str:
        with redirect_stderr(io.StringIO()) as heard:
            run()
        return heard.getvalue()

    problem, conditions = everything["problem"], rl.Binarizer(thresholds=3).fit_transform(data.X)
    grid = {"regularization": [0.1], "max_conditions": [1]}
    asked = {
        "solve": lambda **v: rl.solve(rl.RuleListSearch(problem, 0.02), **v),
        "mine": lambda **v: rl.mine_antecedents(conditions, 3, **v),
        "fit": lambda **v: rl.RuleListClassifier(0.02, thresholds=3, **v).fit(data.X, data.y),
        "sweep": lambda **v: rl.sweep(data, grid=grid, cv=2).wait(**v),
    }
    heard = {name: said(lambda run=run: run(verbose=True)) for name, run in asked.items()}
    assert {name: said(run) for name, run in asked.items()} == dict.fromkeys(asked, "")
    best = everything["snapshot"].incumbent.objective
    for name in ("solve", "fit"):
        assert f"objective {best:.7g}, bound {best:.7g}, optimal" in heard[name]
    assert "mining pairs: 100%" in heard["mine"]
    assert "mining triples: 100%" in heard["mine"]
    assert "mining pairs: 100%" in heard["fit"]
    assert "2/2" in heard["sweep"]
    whole = rl.mine_antecedents(conditions, 3)
    assert f"{len(whole)} kept" in heard["mine"]


@pytest.mark.parametrize("wrong", ["yes", -1, 0.5, None])
def test_other_verbosities_are_refused(everything: dict[str, Any], data: Any, wrong: Any) -> None:
    said = "verbose must be True, False or a whole number"
    with pytest.raises(ValueError, match=said):
        rl.solve(rl.RuleListSearch(everything["problem"], 0.02), verbose=wrong)
    with pytest.raises(ValueError, match=said):
        rl.mine_antecedents(pd.DataFrame({"a": [True, False]}), 1, verbose=wrong)
    with pytest.raises(ValueError, match=said):
        rl.RuleListClassifier(verbose=wrong).fit(data.X, data.y)


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_shares_near_the_ends_keep_their_digits(decimals: int) -> None:
    assert [percent(v) for v in (0, 0.00174, 0.0009, 0.5, 0.69449, 0.9996, 1)] == (
        ["0.0", "0.17", "0.09", "50.0", "69.4", "99.96", "100.0"]
    )
    assert percent(0.00996, 0) == "1"
    for exponent in range(1, 30):
        for value in (10.0**-exponent, 0.0174 / 2**exponent, 1 - 0.0174 / 2**exponent):
            written = float(share(value, decimals))
            assert (written in (0, 1)) == (value in (0, 1)), value
            assert min(written, 1 - written) == pytest.approx(min(value, 1 - value), rel=0.05, abs=0.51 * 10**-decimals)
            assert share(-value, decimals) == f"-{share(value, decimals)}"
