"""Constraints of the user: what rules must not use."""

import numpy as np
import pandas as pd
import pytest
from command_line import output_of, refused, run
from laws import holds, proof_by, with_arrays, with_parameters

import rulelab as rl
from rulelab.certificate import CertificateError, Origin, OriginError
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


def mined(**parameters: object) -> rl.Problem:
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
        found = rl.Problem.from_arrays(A, y, sample_weight=weight, groups=groups).without(["b", "d"])
        expected = rl.Problem.from_arrays(A[["a", "c"]], y, sample_weight=weight, groups=groups)
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
    with pytest.raises(rl.errors.ProblemError, match=r"'sez'.*'sex'"):
        mined().without("sez")
    with pytest.raises(rl.errors.ProblemError, match="no antecedent is left"):
        rl.Problem.from_arrays([[0], [1]], [0, 1], names=["a"]).without("a")
    for family in FAMILIES:
        recipe = Recipe(FAMILIES[family], {"must_not_use": ["sex == w"]})
        with pytest.raises(ValueError, match=r"must_not_use: no antecedent uses 'sex == w'.*'sex == f'"):
            recipe.features(recipe.conditions(TABLE)[0])
        with pytest.raises(ValueError, match="must be names"):
            Recipe(FAMILIES[family], {"must_not_use": [3]}).check(TABLE.columns)
        recipe = Recipe(FAMILIES[family], {"must_not_use": list(TABLE.columns)})
        with pytest.raises(rl.errors.NothingFound, match="every condition"):
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


@pytest.fixture
def file(tmp_path):
    TABLE.assign(y=LABELS).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


@pytest.fixture
def certified(file, tmp_path, capsys):
    """What ``fit`` says of the table with these options, and what ``verify`` says of the proof that it saves."""
    model, proof = tmp_path / "m.json", tmp_path / "p.npz"

    def by(*options: str, sensitive: tuple[str, ...] = ()) -> tuple[str, str]:
        kept = sensitive or ("--keep-sensitive",)
        fit = ("fit", file, "--target", "y", "--quiet", *kept, *options, "-o", model, "--proof", proof)
        return output_of(capsys, *fit)[0], output_of(capsys, "verify", file, model, proof, *sensitive)[0]

    return by


def test_the_command_line_says_what_is_left_out(certified, file, capsys):
    fitted, verified = certified("--max-conditions", "1", "--must-not-use", "age", "--must-not-use", "not old")
    assert "certified optimal without age, not old" in fitted
    assert "without age, not old" in verified
    refused(capsys, "'age'", "fit", file, "--target", "y", "--quiet", "--must-not-use", "aeg", told=True)


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
    search = rl.search(problem, regularization=0.02, **asked)
    found = rl.solve(search)
    assert found.status is rl.Status.OPTIMAL
    rules = [{str(c) for c in rule.conditions} for rule in found.incumbent.model.rules]
    assert any({"old", "not old"} & rule for rule in rules)
    assert any("sex == f" in rule for rule in rules)
    assert any(rule >= {"sex == m", "old"} for rule in rules)
    assert sum(c.startswith("age") for rule in rules for c in rule) <= 1
    assert found.incumbent.objective > free.objective
    again = rl.search(problem, regularization=0.02, **asked, beam_width=0, warm_start=found.incumbent.model)
    assert again.advance(1).incumbent.objective == found.incumbent.objective
    from_free = rl.search(problem, regularization=0.02, **asked, warm_start=free.model)
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
            {"must_use": ["sex"], "bounds": rl.engines.RuleListBounds(lookahead=False)},
            r"bounds must be None where a list has to obey",
        ),
        ({"must_use": ["sex"], "labels": "best"}, r"labels must be"),
        ({"must_use": ["sex"], "max_length": -1}, r"max_length must be"),
        ({"must_use": ["sez"], "fairness": rl.EqualOpportunity(0.05)}, r"must_use: no antecedent uses 'sez'.*'sex'"),
    ],
)
def test_what_cannot_be_asked_for_is_an_error(arguments, said):
    with pytest.raises(ValueError, match=said):
        rl.search(mined(), regularization=0.02, **arguments)


def test_what_is_left_out_cannot_be_asked_for():
    with pytest.raises(ValueError, match="must_use and must_not_use both have 'sex'"):
        rl.RuleListClassifier(must_use=["sex"], must_not_use=["sex"]).fit(TABLE, LABELS)
    with pytest.raises(ValueError, match="cannot begin with old: the rows hold a single class"):
        rl.RuleListClassifier(first_rule="old").fit(TABLE, np.ones(120))
    with pytest.raises(ValueError, match="first_rule must be the name"):
        rl.RuleListClassifier(first_rule=3).fit(TABLE, LABELS)
    with pytest.raises(ValueError, match="no model meets 'use old'"):
        rl.RuleListClassifier(must_use=["old"], max_length=0).fit(TABLE, LABELS)


def test_every_door_leads_to_the_same_list(certified, file, capsys):
    fitted = rl.RuleListClassifier(must_use=["old"], first_rule="sex == f", max_uses={"age": 1}).fit(TABLE, LABELS)
    assert fitted.status_ is rl.Status.OPTIMAL
    assert fitted.model_.antecedent_names[0] == "sex == f"
    said, _ = certified("--must-use", "old", "--first-rule", "sex == f", "--max-uses", "age:1")
    among = "begin with sex == f and use old and have at most 1 condition on age"
    assert f"certified optimal among the lists that {among}: objective {fitted.objective_:.7f}" in said
    command = ("fit", file, "--target", "y", "--quiet", "--must-use", "old")
    assert "age:1" in run(capsys, *command, "--max-uses", "age")[2]
    assert run(capsys, *command, "--search", "corels")[0] == 2
    assert run(capsys, *command, "--max-length", "0")[0] == 1


FAIR = ["--must-use", "old", "--max-length", "2", "--fairness", "equal-opportunity:0.1", "--min-group-size", "5"]


@pytest.mark.parametrize(
    ("options", "among", "each"),
    [
        (["--must-use", "old"], "use old", "uses old"),
        (FAIR, "use old and have at most 2 rules", "uses old and has at most 2 rules"),
        (["--max-length", "2"], "have at most 2 rules", "has at most 2 rules"),
        (
            ["--must-use", "old", "--max-uses", "age:1", "--max-length", "2"],
            "use old and have at most 1 condition on age and have at most 2 rules",
            "uses old and has at most 1 condition on age and has at most 2 rules",
        ),
    ],
)
def test_what_lists_obey_is_said_and_verified(options, among, each, certified):
    said, verified = certified(*options, sensitive=("--sensitive", "sex") if options is FAIR else ())
    assert f"among the lists that {among}: objective" in said
    assert options is FAIR or f"certified optimal among the lists that {among}: " in said
    assert each in verified if options is FAIR else f"optimal among those of which each {each} for" in verified


def test_a_card_says_what_was_left_out_and_what_the_list_was_asked_for():
    from rulelab.views.cards import card

    search = rl.RuleListSearch(mined(must_not_use=["sex"]), 0.05)
    assert "antecedents without sex has" in card.of_search(search, rl.solve(search)).proof.scope
    search = rl.search(mined(), regularization=0.05, must_use=["old"])
    shown = card.of_search(search, rl.solve(search))
    assert "among the lists that use old, no such rule list over these" in shown.proof.scope
    assert shown.parameters["must use"] == "old"


def test_certificates_say_what_may_not_be_used_more_often():
    problem = mined(thresholds=3)
    search = rl.search(problem, regularization=0.02, must_use=["old"], max_uses={"age": 1, "sex": 0}, max_length=2)
    with pytest.raises(CertificateError, match="not proven"):
        search.certificate()
    model, certificate = proof_by(search)
    answer = holds(problem, model, certificate)
    limits = "has at most 1 condition on age and has at most 0 conditions on sex and has at most 2 rules"
    assert answer.among == f"uses old and {limits}"
    for change in (
        {"most_uses": np.array([-1, 0])}, {"most_uses": np.array([1])}, {"most_uses": np.array([9, 9])},
        {"uses": certificate.arrays["uses"][:, 1:].copy()}, {"uses": certificate.arrays["uses"].astype(np.int64)},
    ):  # fmt: skip
        assert not rl.verify(problem, model, with_arrays(certificate, **change)).valid
    for value in (1.5, -1.0):
        wrong = with_parameters(certificate, max_length=value)
        assert "must be a whole number" in rl.verify(problem, model, wrong).reason
