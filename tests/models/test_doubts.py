"""What is to be doubted of a model: data that have it and data that have not, and every door."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from patience import wait_until

import rulelab as rl
from rulelab.cli import commands as cli
from rulelab.models import Provenance
from rulelab.report import DOUBTS, Known, doubted
from rulelab.report.known import compared
from rulelab.views import ModelCard
from rulelab.views.widgets.html import Html


def table(n: int = 400, positives: float = 0.4) -> tuple[pd.DataFrame, np.ndarray]:
    """Two columns that matter, of which ``a`` decides nearly all where it is alone."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(n) < positives, "b": rng.random(n) < 0.5})
    return X, np.where(X["a"] ^ (rng.random(n) < 0.05), "yes", "no")


def codes(model: object, data: rl.datasets.Dataset | None = None, **more: object) -> list[str]:
    return [each.code for each in rl.doubts(model, data, **more)]


def words(code: str, model: object, data: rl.datasets.Dataset | None = None, **more: object) -> str:
    """The one doubt of this code."""
    (found,) = (str(each) for each in rl.doubts(model, data, **more) if each.code == code)
    return found


def data_set(X: pd.DataFrame, y: np.ndarray, **more: object) -> rl.datasets.Dataset:
    return rl.datasets.from_frame(X.assign(y=y), "y", **{"sensitive": (), **more})


problem = rl.Problem.from_arrays


def test_one_column_decides_alone_and_how_well():
    X, y = table()
    model = rl.RuleList.from_problem(problem(X, y), ["a"])
    (only,) = rl.doubts(model)
    assert only.code == "one_column"
    assert f"gets {100 * (1 - model.errors / 400):.1f} % right" in only.words
    assert codes(rl.RuleList.from_problem(problem(X, y), ["a", "b"])) == []
    X["weak"] = (y == "yes") ^ (np.arange(400) % 4 == 0)
    assert codes(rl.RuleList.from_problem(problem(X, y), ["weak"])) == [], "three of four are no answer given away"


@pytest.mark.parametrize("kind", ["list", "set", "falling", "classes"])
def test_a_constant_model_is_said_to_be_one_in_every_family(kind):
    X, y = table()
    given = problem(X, y)
    constant = {
        "list": lambda: rl.RuleList.from_problem(given, []),
        "set": lambda: rl.RuleSet.from_problem(given, []),
        "falling": lambda: rl.FallingRuleList.from_problem(given, []),
        "classes": _of_classes,
    }
    assert codes(constant[kind]()) == ["constant"]
    assert "constant" not in codes(rl.RuleSet.from_problem(given, [["a"]]))
    assert "constant" not in codes(rl.FallingRuleList.from_problem(given, ["a"]))


def _of_classes() -> object:
    X, _ = table()
    y = np.arange(400) % 3
    return rl.solve(rl.engines.MultiClassRuleListSearch(rl.MultiClassProblem.from_arrays(X, y), 0.9)).incumbent.model


def test_few_rows_are_rows_whatever_they_weigh():
    X, y = table()
    heavy = rl.RuleList.from_problem(problem(X, y, sample_weight=np.full(400, 1000.0)), ["a", "b"])
    assert (codes(heavy), [each.code for each in doubted(Known(heavy, (380, 20)))]) == ([], ["few_rows"])
    for few, known in {
        "of 400 training rows only 20 are yes": Known(heavy, (380, 20)),
        "of 3 training rows only 1 is back = no and 2 are back = yes": Known(heavy, (1, 2), target="back"),
    }.items():
        assert doubted(known)[0].words == few
    light = rl.RuleList.from_problem(problem(X, y, sample_weight=np.full(400, 0.001)), ["a", "b"])
    assert "few_rows" not in [each.code for each in doubted(Known(light, (200, 200)))], "light, but not few"


def test_a_class_that_is_hardly_found_is_said():
    X, y = table()
    X["c"] = (y == "yes") & (np.arange(400) % 12 == 0)
    assert "missed" in codes(rl.RuleSet.from_problem(problem(X, y), [["b", "c"]]))
    assert "missed" not in codes(rl.RuleSet.from_problem(problem(X, y), [["a"], ["b", "c"]]))


def test_a_column_that_gives_the_answer_away_beside_another():
    X, y = table()
    X["after"], X["c"] = (y == "yes") ^ (np.arange(400) == 7), X["b"]
    model = rl.RuleList.from_problem(problem(X, y), ["after", "b"])
    said = words("one_column", model, data_set(X, y))
    assert said.startswith("One column gives the answer away, after: alone gets 99.7 % right (majority ")
    other = rl.RuleList.from_problem(problem(X, y), ["a", "b"])
    assert "one_column" not in codes(other, data_set(X, y))


def test_a_protected_attribute_by_its_name_or_by_what_was_said():
    X, y = table()
    X = X.rename(columns={"a": "sex"})
    model = rl.RuleList.from_problem(problem(X, y), ["sex", "b"])
    assert words("protected", model) == (
        "It uses a protected attribute, sex: leave it out where people must not be told apart by it"
    )
    assert "protected" not in codes(rl.RuleList.from_problem(problem(X, y), ["b"]))
    both = rl.RuleList.from_problem(problem(X.rename(columns={"b": "age"}), y), ["sex", "age"])
    assert "leave them out where people must not be told apart by them" in words("protected", both)
    named = rl.RuleList.from_problem(problem(*table()), ["a", "b"])
    assert "protected" not in codes(named, data_set(*table()))
    assert "protected" in codes(named, data_set(*table(), sensitive=["a"], keep_sensitive=True))


def test_groups_of_few_rows():
    X, y = table()
    model = rl.RuleList.from_problem(problem(X, y), ["a", "b"])
    few = np.where(np.arange(400) < 12, "few", "many")
    assert "who = few with 12" in words("small_groups", model, data_set(X.assign(who=few), y, sensitive=["who"]))
    halves = np.where(np.arange(400) < 200, "one", "other")
    assert "small_groups" not in codes(model, data_set(X.assign(who=halves), y, sensitive=["who"]))
    own, people = np.arange(400) >= 200, data_set(X.assign(who=few), y, sensitive=["who"])
    shown = ModelCard(model, data=people, test_rows=np.flatnonzero(~own))
    wait_until(lambda: not shown.refresh())
    texts = [each.object for each in shown.__panel__().select(Html)]
    assert any("hardly any test rows that count, who = few with 12" in each for each in texts), "those of its table"


def test_far_worse_on_the_test_than_in_training():
    X, y = table()
    model = rl.RuleList.from_problem(problem(X, y), ["a"])
    other = np.where(X["a"] ^ (np.random.default_rng(3).random(400) < 0.4), "yes", "no")
    seen, worse = data_set(X, y), data_set(X, other)
    assert "far worse on the test rows" in words("worse_on_test", model, seen, test=worse)
    assert "worse_on_test" not in codes(model, seen, test=seen)


def test_rules_that_had_to_be_short():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"c{j}": rng.random(120) < 0.5 for j in range(9)})
    y = X["c0"] ^ (rng.random(120) < 0.1)
    with pytest.warns(UserWarning, match="at most 1 condition, not 2"):
        short = rl.RuleListClassifier(regularization=0.1, max_antecedents=18).fit(X, y)
    assert words("short_rules", short).startswith("Rules have at most 1 condition, not 2: there are more than 18")
    (model,) = short.models_
    asked = {most: f"rules have at most {most} conditions, not 5: too many" for most in (1, 2)}
    found = {most: [each.code for each in doubted(Known(model, fewer=said))] for most, said in asked.items()}
    assert ["short_rules" in found[most] for most in asked] == [True, False], "where a rule is as long as it may be"
    whole = rl.RuleListClassifier(regularization=0.1, max_antecedents=None).fit(X, y)
    assert "short_rules" not in codes(whole)


def test_a_search_that_has_proven_nothing_yet_and_one_that_has():
    X, y = table()
    X = X.assign(**{f"c{j}": np.random.default_rng(j).random(400) < 0.5 for j in range(8)})
    search = rl.RuleListSearch(problem(X, y), 0.001)
    snapshot = search.advance(1)
    assert snapshot.gap > 0
    unproven = snapshot.incumbent.model.proven(Provenance.of(snapshot, search.problem))
    assert words("not_proven", unproven).endswith("is not ruled out: give the search more time")
    done = rl.solve(search)
    assert "not_proven" not in codes(done.incumbent.model.proven(Provenance.of(done, search.problem)))


def test_hundreds_of_others_as_good():
    model = rl.RuleList.from_problem(problem(*table()), ["a", "b"])
    assert words("many_as_good", model, as_good=512).startswith("512 models are about as good: ")
    assert "many_as_good" not in (*codes(model, as_good=5), *codes(model))


def people() -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Two groups, of which one alone can be told apart."""
    rng = np.random.default_rng(1)
    who, A = rng.random(400) < 0.5, rng.random((400, 3)) < 0.5
    y = (A[:, 0] & who) ^ (rng.random(400) < 0.05)
    return pd.DataFrame(A, columns=["a", "b", "c"]), y, np.where(who, "x", "z")


def test_rates_that_are_equal_for_want_of_anything_and_others():
    X, y, who = people()
    fair = rl.RuleListClassifier(regularization=0.05, fairness=rl.EqualOpportunity(0.01), min_group_size=0)
    fair.fit(X, y, sensitive_features=who)
    assert "equal because nearly everyone is missed" in words("emptied", fair)
    free = rl.RuleListClassifier(regularization=0.05).fit(X, y, sensitive_features=who)
    assert "emptied" not in codes(free)


def test_a_difference_that_is_narrower_than_its_interval():
    X, y, _ = people()
    model = rl.RuleList.from_problem(problem(X, y), ["a", "b"])
    chance = data_set(X.assign(who=np.where(np.arange(400) % 2, "x", "z")), y, sensitive=["who"])
    said = words("wide_interval", model, chance)
    assert re.search(r"interval, \u2212[\d.]+ to \+[\d.]+ points, is wider than that; more rows would tell", said)
    assert said.endswith("whether they do")
    mixed = np.where(np.arange(400) % 20 < 11, X["a"], ~X["a"])
    partly = data_set(X.assign(who=np.where(mixed, "x", "z")), y, sensitive=["who"])
    assert words("wide_interval", model, partly).endswith("more rows would tell by how much")
    assert compared(rl.EqualOpportunity(0.1)) == compared("equal_opportunity") == ("true_positive_rate",)
    told = data_set(X.assign(who=np.where(X["a"], "x", "z")), y, sensitive=["who"])
    assert "wide_interval" not in codes(model, told)


def test_weights_of_which_few_decide():
    X, y = table()
    model = rl.RuleList.from_problem(problem(X, y), ["a", "b"])
    few = data_set(X.assign(w=np.where(np.arange(400) < 10, 1000.0, 1.0)), y, weight="w")
    assert "so unequal that 400 rows say as much as 10.8 of one weight" in words("unequal_weights", model, few)
    alike = data_set(X.assign(w=np.arange(400) % 3 + 1), y, weight="w")
    assert "unequal_weights" not in codes(model, alike)
    assert "unequal_weights" in codes(rl.RuleListClassifier().fit(X, y, sample_weight=few.weight))


def test_values_that_were_made_a_class_without_being_asked():
    X, y = table()
    fitted = rl.RuleListClassifier().fit(X, np.where(y == "yes", "yes", "unknown"))
    assert words("unknown_class", fitted).startswith("Rows whose class is 'unknown' are counted as the negative class")
    assert "unknown_class" not in codes(rl.RuleListClassifier().fit(X, y))


def test_every_doubt_of_the_registry_is_had_and_not_had_here():
    text = Path(__file__).read_text(encoding="utf-8")
    assert {name for name in DOUBTS if text.count(f'"{name}"') < 2} == set()


def test_every_door_says_them(tmp_path, capsys):
    X, y = table()
    fitted = rl.RuleListClassifier(regularization=0.3).fit(X, y)
    assert [each.code for each in fitted.doubts_] == ["constant"] == codes(fitted)
    assert codes(fitted, data_set(X, y)) == ["constant"]
    assert [each.code for each in rl.RuleListClassifier().fit(X, y).doubts_] == ["one_column"]
    path = tmp_path / "t.csv"
    X.assign(y=y).to_csv(path, index=False)
    assert cli.main(["fit", str(path), "--target", "y", "--regularization", "0.4", "--quiet"]) == 0
    said = "Before you trust this\n- The best list says the same of everybody: lower the price of a rule"
    assert said in capsys.readouterr().out
    search = rl.RuleListSearch(problem(X, y), 0.4)
    done = rl.solve(search)
    view = ModelCard(done.incumbent.model, search=search, snapshot=done)
    shown = [pane.object for pane in view.__panel__().select(Html)]
    assert any("Before you trust this" in each and "says the same of everybody" in each for each in shown)
    view.close()
