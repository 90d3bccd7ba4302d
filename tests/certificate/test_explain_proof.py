"""What a proof says of a list that is not the proven one."""

from itertools import permutations

import numpy as np
import pytest
from command_line import output_of
from laws import proof_by
from test_certificate_lemmas import noisy, solved

import rulelab as rl
from rulelab.certificate import prove_falling_rule_list
from rulelab.certificate.rule_list.exclusion import Change
from rulelab.cli.commands import main

PRICES = (0.01, 0.05, 0.1, 0.02, 1 / 3)


def proven(seed: int) -> tuple[rl.Problem, rl.RuleList, rl.Certificate, float]:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(4, 26)), int(rng.integers(2, 5))
    A, y = rng.random((n, m)) < rng.uniform(0.2, 0.8, m), rng.random(n) < 0.5
    y[:2] = [False, True]
    weight = (None, rng.integers(1, 5, n).astype(float), rng.random(n) + 0.1)[seed % 3]
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    search = rl.RuleListSearch(problem, regularization=PRICES[seed % 5])
    return problem, *proof_by(search), PRICES[seed % 5]


def lists_of(problem: rl.Problem, rng: np.random.Generator, n: int) -> list[rl.RuleList]:
    asked = []
    for _ in range(n):
        antecedents = rng.integers(0, problem.n_antecedents, int(rng.integers(0, 5))).tolist()
        labels = None if rng.random() < 0.5 else rng.integers(0, 2, len(antecedents) + 1).tolist()
        asked.append(rl.RuleList.from_problem(problem, antecedents, labels))
    return asked


@pytest.mark.parametrize("seed", range(0, 30, 2))
def test_every_line_holds_for_all_lists_that_come_to_it(seed):
    """No completion of the rules costs less than the table's lines say.

    A bound that ends the way is of completions in the form of the proof: a heavier rule of the same label is first.
    """
    problem, model, certificate, price = proven(seed)
    optimum = model.objective(price)
    for asked in lists_of(problem, np.random.default_rng(1000 + seed), 8):
        said = rl.explain_proof(problem, model, certificate, asked)
        assert said.optimum == pytest.approx(optimum, abs=1e-12)
        assert said.followed_objective <= said.objective + 1e-9
        assert said.objective == pytest.approx(asked.objective(price), abs=1e-12)
        assert said.lines[0].kind == "start"
        assert said.lines[-1].kind in ("rule", "bound", "lemma", "default")
        assert all(line.kind == "table" for line in said.lines[1:-1])
        rules = [rule.antecedent for rule in said.followed.rules]
        for k, line in enumerate(said.lines):
            assert optimum - 1e-9 <= line.least <= said.followed_objective + 1e-9
            assert line.so_far <= line.least + 1e-9
            if line.kind in ("start", "table"):
                assert line.least <= least_completion(problem, rules[:k], price) + 1e-9
            assert all(cost >= line.least - line.so_far - 1e-9 for cost in line.further.values())


def least_completion(problem: rl.Problem, taken: list[int], price: float) -> float:
    """The least objective of all lists that begin with these rules."""
    rest = [a for a in range(problem.n_antecedents) if a not in taken]
    tails = [tail for k in range(len(rest) + 1) for tail in permutations(rest, k)]
    return min(rl.RuleList.from_problem(problem, [*taken, *tail]).objective(price) for tail in tails)


def test_a_list_of_the_same_objective_is_as_good():
    problem = rl.Problem.from_arrays([[1, 0], [1, 0], [0, 1], [0, 1]] * 3, [1, 1, 0, 0] * 3)
    search = rl.RuleListSearch(problem, regularization=0.1)
    model = rl.solve(search).incumbent.model
    for antecedent in (0, 1):
        said = rl.explain_proof(problem, model, search.certificate(), rl.RuleList.from_problem(problem, [antecedent]))
        assert said.ties
        assert "as good as the proven one" in str(said)


def test_what_is_taken_for_granted_is_said():
    """A rule that captures next to nothing, one that captures everything and a copy are no rules for the proof."""
    A = np.zeros((40, 4), dtype=bool)
    A[:20, 0] = A[:20, 1] = True
    A[39, 2] = True
    A[:, 3] = True
    problem = rl.Problem.from_arrays(A, np.arange(40) < 19, names=["half", "copy", "one", "all"])
    search = rl.RuleListSearch(problem, regularization=0.05)
    model = rl.solve(search).incumbent.model
    said = rl.explain_proof(problem, model, search.certificate(), rl.RuleList.from_problem(problem, [2, 1, 3, 0]))
    assert {change.kind for change in said.changes} == {"unpaid", "equal", "everything"}
    assert said.followed.antecedent_names == model.antecedent_names == ("half",)
    assert "'copy' is the same as 'half' here" in str(said)
    assert list(said.frame.columns) == ["kind", "line", "rule", "so_far", "least"]


def test_a_default_rule_that_predicts_the_minority_is_changed_aloud():
    said_so = 0
    for seed in range(12):
        problem, model, certificate, _ = proven(seed)
        for asked in lists_of(problem, np.random.default_rng(seed), 12):
            said = rl.explain_proof(problem, model, certificate, asked)
            rest = said.followed.default
            default = asked.default.prediction
            for change in said.changes:
                if change.kind == "everything":
                    default = asked.rules[asked.antecedents.index(change.antecedent)].prediction
            other = default != rest.prediction and rest.positives != rest.negatives
            assert (Change("label", -1) in said.changes) == other
            assert ("the default rule predicts the majority of what is left" in str(said)) == other
            said_so += other
    assert said_so > 5


def test_a_lemma_ends_the_way_of_a_list():
    problem = noisy(0)
    search = solved(problem, learn_after=0)
    certificate, model = search.certificate(), search.advance(1).incumbent.model
    assert len(certificate.arrays["lemmas"]) > 3
    optimum = model.objective(search.regularization)
    for pair in permutations(range(problem.n_antecedents), 2):
        asked = rl.RuleList.from_problem(problem, pair)
        said = rl.explain_proof(problem, model, certificate, asked)
        last = said.lines[-1]
        if last.kind == "lemma":
            assert last.line in certificate.arrays["lemmas"]
            assert optimum - 1e-9 <= last.least <= said.followed_objective + 1e-9
            assert "and what is left holds so many of this line's rows" in str(said)
            return
    raise AssertionError("no list came to a lemma")


def test_only_a_valid_proof_of_lists_is_explained():
    problem, model, certificate, _ = proven(1)
    other, worse, _, _ = proven(2)
    with pytest.raises(rl.errors.CertificateError, match="other data"):
        rl.explain_proof(other, worse, certificate, worse)
    with pytest.raises(rl.errors.CertificateError, match="asks about a RuleList"):
        rl.explain_proof(problem, model, certificate, "age > 3")  # type: ignore[arg-type]
    with pytest.raises(rl.errors.CertificateError, match="antecedents"):
        rl.explain_proof(problem, model, certificate, rl.RuleList.without_rules((0, 1), 3, 4))
    no_rules = rl.FallingRuleList.from_problem(problem, [])
    said = "can be explained; this one is of a falling rule list with positive weight"
    with pytest.raises(rl.errors.CertificateError, match=said):
        rl.explain_proof(problem, no_rules, prove_falling_rule_list(problem, no_rules, 0.9), model)
    with pytest.raises(rl.errors.CertificateError, match="asks about a RuleList, not about FallingRuleList"):
        rl.explain_proof(problem, model, certificate, no_rules)


def test_from_the_command_line(tmp_path, capsys):
    model, proof = str(tmp_path / "model.json"), str(tmp_path / "proof.npz")
    fit = ["fit", "tic_tac_toe", "--max-conditions", "1", "--regularization", "0.02", "--quiet"]
    output_of(capsys, *fit, "-o", model, "--proof", proof)
    first, explain = rl.load_model(model).antecedent_names[0], ["explain-proof", "tic_tac_toe", model, proof]
    said = output_of(capsys, *explain, "--rule", first)[0]
    assert f"the list '{first}'" in said
    assert "so no list that begins with these rules costs less than" in said or "costs more" in said
    assert "it is as good as the proven one" in output_of(capsys, *explain, "--list", model)[0]
    for wrong, status, why in (
        (["--rule", "nothing > 3"], 2, "the proof has no antecedent 'nothing > 3'"),
        ([], 2, "give the list either as a file"),
        (["--rule", first, "--regularization", "0.5"], 1, "the proof is for the regularization 0.02, not 0.5"),
    ):
        assert main([*explain, *wrong]) == status
        assert why in capsys.readouterr().err
