"""Constraints of the user: what rules must not use."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from command_line import output_of

import rulelab as rl
from rulelab.__main__ import main
from rulelab.certificate import CertificateError, Origin, OriginError
from rulelab.data.conditions import NothingFound
from rulelab.data.problem import Problem
from rulelab.data.problem_arguments import ProblemError
from rulelab.families import FAMILIES
from rulelab.recipe import Recipe

RNG = np.random.default_rng(3)
TABLE = pd.DataFrame(
    {"age": RNG.integers(18, 60, 120), "sex": RNG.choice(["f", "m"], 120), "old": RNG.random(120) > 0.5, "same": 1}
)
LABELS = ((TABLE["age"] > 30) ^ (TABLE["sex"] == "m")).astype(int)
ESTIMATORS = {
    "rule_list": rl.RuleListClassifier(),
    "falling_rule_list": rl.FallingRuleListClassifier(),
    "rule_set": rl.RuleSetClassifier(max_complexity=4),
}
GROUPS = np.where(np.arange(120) % 2, "a", "b")


def mined(**parameters: object) -> Problem:
    recipe = Recipe(FAMILIES["rule_list"], parameters)
    features, _ = recipe.features(recipe.conditions(TABLE)[0], LABELS, columns=TABLE.columns)
    return recipe.problem(features, LABELS, groups=GROUPS)


@pytest.mark.parametrize("weights", ["none", "whole", "fractional"])
def test_a_problem_without_columns_is_that_of_the_other_columns(weights):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        A = pd.DataFrame(rng.random((30, 4)) < 0.5, columns=list("abcd"))
        y = np.arange(30) % 2
        weight = {"none": None, "whole": rng.integers(0, 4, 30) + (y > 2), "fractional": rng.random(30)}[weights]
        groups = rng.choice(["u", "v"], 30)
        found = Problem.from_arrays(A, y, sample_weight=weight, groups=groups).without(["b", "d"])
        expected = Problem.from_arrays(A[["a", "c"]], y, sample_weight=weight, groups=groups)
        assert found.fingerprint == expected.fingerprint
        assert (found.masses.total, found.n_rows) == (expected.masses.total, 30)
        assert found.left_out == ("b", "d")
        kept = found.row_pattern >= 0
        assert (found.matrix()[found.row_pattern[kept]] == A[["a", "c"]].to_numpy()[kept]).all()
        mine, theirs = found.groups, expected.groups
        order = [np.lexsort(problem.words.T) for problem in (found, expected)]
        assert (mine.positives[:, order[0]] == theirs.positives[:, order[1]]).all()
        assert (mine.negatives[:, order[0]] == theirs.negatives[:, order[1]]).all()


def test_a_name_is_a_column_a_condition_or_an_antecedent():
    problem = mined()
    for names, gone in (
        ("sex", lambda joined: any(c.column == "sex" for c in joined)),
        (["sex == m"], lambda joined: "sex == m" in map(str, joined)),
        (["old", "not old"], lambda joined: any(c.column == "old" for c in joined)),
        ("sex == m and old", lambda joined: {"sex == m", "old"} <= set(map(str, joined))),
    ):
        assert any(map(gone, problem.conditions))
        expected = [name for name, joined in zip(problem.names, problem.conditions, strict=True) if not gone(joined)]
        assert list(problem.without(names).names) == expected
        assert set(expected) <= set(mined(must_not_use=names).names)
        assert not any(map(gone, mined(must_not_use=names).conditions))


def test_names_that_nothing_has_are_errors_that_list_the_nearest():
    with pytest.raises(ProblemError, match=r"'sez'.*'sex'"):
        mined().without("sez")
    with pytest.raises(ProblemError, match="no antecedent is left"):
        Problem.from_arrays([[0], [1]], [0, 1], names=["a"]).without("a")
    for family in FAMILIES:
        recipe = Recipe(FAMILIES[family], {"must_not_use": ["sex == w"]})
        with pytest.raises(ValueError, match=r"must_not_use: no antecedent uses 'sex == w'.*'sex == f'"):
            recipe.features(recipe.conditions(TABLE)[0])
        with pytest.raises(ValueError, match="must be names"):
            Recipe(FAMILIES[family], {"must_not_use": [3]}).check(TABLE.columns)
        recipe = Recipe(FAMILIES[family], {"must_not_use": list(TABLE.columns)})
        with pytest.raises(NothingFound, match="every condition"):
            recipe.features(recipe.conditions(TABLE)[0], columns=TABLE.columns)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_model_is_the_best_of_the_table_without_the_columns(family):
    estimator = ESTIMATORS[family]
    expected = estimator.set_params(must_not_use=None).fit(TABLE.drop(columns="sex"), LABELS).objective_
    fitted = estimator.set_params(must_not_use=["sex", "same"]).fit(TABLE, LABELS)
    assert fitted.objective_ == expected
    assert "sex" not in str(fitted.model_)
    with pytest.raises(ValueError, match="nearest: 'sex'"):
        estimator.set_params(must_not_use=["sez"]).fit(TABLE, LABELS)


def test_the_command_line_says_what_is_left_out(tmp_path, capsys):
    table, model, proof = (str(tmp_path / name) for name in ("t.csv", "m.json", "p.npz"))
    TABLE.assign(y=LABELS).to_csv(table, index=False)
    command = ["fit", table, "--target", "y", "--quiet", "--max-conditions", "1"]
    assert (
        "certified optimal without age, not old"
        in output_of(
            capsys, *command, "--must-not-use", "age", "--must-not-use", "not old", "-o", model, "--proof", proof
        )[0]
    )
    assert "without age, not old" in output_of(capsys, "verify", table, model, proof)[0]
    assert main([*command, "--must-not-use", "aeg"]) == 2
    assert "'age'" in capsys.readouterr().err


def test_a_proof_does_not_claim_to_leave_out_what_it_uses():
    problem = mined(must_not_use=["sex"])
    origin = Origin.of(problem)
    assert Origin.parse(origin.dump()) == origin
    with pytest.raises(OriginError, match="'age'"):
        Origin(origin.conditions, origin.names, origin.classes, left_out=("age",))
    with pytest.raises(OriginError, match="list of names"):
        Origin.parse(origin.dump().replace(b'["sex"]', b'"sex"'))


def test_columns_conditions_and_numbers_of_uses_are_demands():
    problem = mined(thresholds=3)
    free = rl.solve(rl.RuleListSearch(problem, 0.02)).incumbent
    asked = {"must_use": ["old", "sex == f", "sex == m and old"], "max_uses": {"age": 1}}
    search = rl.search_for(problem, regularization=0.02, **asked)
    found = rl.solve(search)
    assert found.status is rl.Status.OPTIMAL
    rules = [{str(c) for c in rule.conditions} for rule in found.incumbent.model.rules]
    assert any({"old", "not old"} & rule for rule in rules)
    assert any("sex == f" in rule for rule in rules)
    assert any(rule >= {"sex == m", "old"} for rule in rules)
    assert sum(c.startswith("age") for rule in rules for c in rule) <= 1
    assert found.incumbent.objective > free.objective
    again = rl.search_for(problem, regularization=0.02, **asked, beam_width=0, warm_start=found.incumbent.model)
    assert again.advance(1).incumbent.objective == found.incumbent.objective
    from_free = rl.search_for(problem, regularization=0.02, **asked, warm_start=free.model)
    assert rl.solve(from_free).incumbent.objective == found.incumbent.objective


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"must_use": ["sez"]}, r"must_use: no antecedent uses 'sez'.*'sex'"),
        ({"first_rule": "odl"}, r"first_rule: no antecedent is 'odl'.*'old'"),
        ({"max_uses": {"agee": 1}}, r"max_uses: no antecedent uses 'agee'.*'age'"),
        ({"max_uses": {"age": -1}}, r"max_uses must have a number"),
        ({"max_uses": ["age"]}, r"max_uses must have a number"),
        ({"must_use": [1]}, r"must_use must be names"),
        (
            {"must_use": ["sex"], "bounds": rl.RuleListBounds(lookahead=False)},
            r"bounds must be None where a list has to obey",
        ),
        ({"must_use": ["sex"], "labels": "best"}, r"labels must be"),
        ({"must_use": ["sex"], "max_length": -1}, r"max_length must be"),
        ({"must_use": ["sez"], "fairness": rl.EqualOpportunity(0.05)}, r"must_use: no antecedent uses 'sez'.*'sex'"),
    ],
)
def test_what_cannot_be_asked_for_is_an_error(arguments, said):
    with pytest.raises(ValueError, match=said):
        rl.search_for(mined(), regularization=0.02, **arguments)


def test_what_is_left_out_cannot_be_asked_for():
    with pytest.raises(ValueError, match="must_use and must_not_use both have 'sex'"):
        rl.RuleListClassifier(must_use=["sex"], must_not_use=["sex"]).fit(TABLE, LABELS)
    with pytest.raises(ValueError, match="cannot begin with old: the rows hold a single class"):
        rl.RuleListClassifier(first_rule="old").fit(TABLE, np.ones(120))
    with pytest.raises(ValueError, match="first_rule must be the name"):
        rl.RuleListClassifier(first_rule=3).fit(TABLE, LABELS)
    with pytest.raises(ValueError, match="no model meets 'use old'"):
        rl.RuleListClassifier(must_use=["old"], max_length=0).fit(TABLE, LABELS)


def test_every_door_leads_to_the_same_list(tmp_path, capsys):
    fitted = rl.RuleListClassifier(must_use=["old"], first_rule="sex == f", max_uses={"age": 1}).fit(TABLE, LABELS)
    assert fitted.status_ is rl.Status.OPTIMAL
    assert fitted.model_.antecedent_names[0] == "sex == f"
    table = str(tmp_path / "t.csv")
    TABLE.assign(y=LABELS).to_csv(table, index=False)
    command = ["fit", table, "--target", "y", "--keep-sensitive", "--quiet", "--must-use", "old"]
    assert main([*command, "--first-rule", "sex == f", "--max-uses", "age:1"]) == 0
    said = capsys.readouterr().out
    among = "begin with sex == f and use old and have at most 1 condition on age"
    assert f"certified optimal among the lists that {among}: objective {fitted.objective_:.7f}" in said
    model, proof = str(tmp_path / "m.json"), str(tmp_path / "p.npz")
    assert main([*command, "-o", model, "--proof", proof]) == 0
    assert "optimal among those of which each uses old for" in output_of(capsys, "verify", table, model, proof)[0]
    assert main([*command, "--max-uses", "age:1", "--max-length", "2", "-o", model, "--proof", proof]) == 0
    assert main(["verify", table, model, proof]) == 0
    said = capsys.readouterr().out
    assert "among the lists that use old and have at most 1 condition on age and have at most 2 rules: " in said
    assert "uses old and has at most 1 condition on age and has at most 2 rules for" in said
    assert main(["fit", table, "--target", "y", "--max-length", "2", "-o", model, "--proof", proof]) == 0
    assert (
        "optimal among those of which each has at most 2 rules for"
        in output_of(capsys, "verify", table, model, proof)[0]
    )
    with pytest.raises(SystemExit):
        main([*command, "--max-uses", "age"])
    assert "age:1" in capsys.readouterr().err
    assert main([*command, "--search", "corels"]) == 2
    assert main([*command, "--max-length", "0"]) == 1


def test_a_fair_list_that_obeys_is_found_proven_and_verified_by_command(tmp_path, capsys):
    table, model, proof = (str(tmp_path / name) for name in ("t.csv", "m.json", "p.npz"))
    TABLE.assign(y=LABELS).to_csv(table, index=False)
    command = ["fit", table, "--target", "y", "--sensitive", "sex", "--quiet", "--fairness", "equal-opportunity:0.1"]
    command += ["--min-group-size", "5"]
    assert (
        "among the lists that use old and have at most 2 rules: objective"
        in output_of(capsys, *command, "--must-use", "old", "--max-length", "2", "-o", model, "--proof", proof)[0]
    )
    assert (
        "uses old and has at most 2 rules" in output_of(capsys, "verify", table, model, proof, "--sensitive", "sex")[0]
    )


def test_a_card_says_what_was_left_out_and_what_the_list_was_asked_for():
    from rulelab.views.cards import card

    search = rl.RuleListSearch(mined(must_not_use=["sex"]), 0.05)
    assert "antecedents without sex has" in card.of_search(search, rl.solve(search)).proof.scope
    search = rl.search_for(mined(), regularization=0.05, must_use=["old"])
    shown = card.of_search(search, rl.solve(search))
    assert "among the lists that use old, no such rule list over these" in shown.proof.scope
    assert shown.parameters["must use"] == "old"


def test_certificates_say_what_may_not_be_used_more_often():
    problem = mined(thresholds=3)
    search = rl.search_for(problem, regularization=0.02, must_use=["old"], max_uses={"age": 1, "sex": 0}, max_length=2)
    with pytest.raises(CertificateError, match="not proven"):
        search.certificate()
    model = rl.solve(search).incumbent.model
    certificate = search.certificate()
    answer = rl.verify(problem, model, certificate)
    assert answer.valid, answer.reason
    limits = "has at most 1 condition on age and has at most 0 conditions on sex and has at most 2 rules"
    assert answer.among == f"uses old and {limits}"
    arrays, parameters = certificate.arrays, certificate.parameters
    for changed, said in (
        ({"most_uses": np.array([-1, 0])}, "must be a number for each row"),
        ({"most_uses": np.array([1])}, "must be a number for each row"),
        ({"uses": arrays["uses"][:, 1:].copy()}, "must be rows of numbers"),
        ({"uses": arrays["uses"].astype(np.int64)}, "must be rows of numbers"),
        ({"most_uses": np.array([9, 9])}, "costs less|the table|needs one"),
    ):
        other = rl.verify(problem, model, replace(certificate, arrays={**arrays, **changed}))
        assert not other.valid
        assert re.search(said, other.reason), other.reason
    for value in (1.5, -1.0):
        wrong = replace(certificate, parameters={**parameters, "max_length": value})
        assert "must be a whole number" in rl.verify(problem, model, wrong).reason
