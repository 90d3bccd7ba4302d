"""Proofs of rule sets in OPB and VeriPB, judged by a checker that knows nothing of rule sets."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import naive
import numpy as np
import pseudo_boolean
import pytest

import rulelab as rl
from rulelab.cli.commands import main
from rulelab.pseudo_boolean import branching, formula


def written(seed, cases=False):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(10, 60)), int(rng.integers(2, 6))
    A = rng.random((n, m)) < 0.5
    y = ((A[:, 0] & A[:, 1]) | A[:, -1]) ^ (rng.random(n) < 0.25)
    y[:2] = True, False
    weight = rng.integers(1, 9, n) if seed % 2 else np.ones(n, dtype=np.int64)
    settings = {
        "max_complexity": int(rng.integers(3, 9)),
        "max_conditions": int(rng.integers(1, 4)),
        "form": ("dnf", "cnf")[seed % 3 == 0],
        "regularization": (0, 0.3, 2)[seed % 5 % 3],
    }
    search = rl.RuleSetSearch(rl.Problem.from_arrays(A, y, sample_weight=weight), **settings)
    best = rl.solve(search).incumbent
    return (A, y, weight), settings, best, search.certificate(), search.problem


def exported(seed):
    *_, best, certificate, problem = written(seed)
    return best, rl.export_proof(problem, best.model, certificate)


def said(proof):
    """The loss and complexity that a value of the objective stands for, as the comments have it."""
    words = next(line for line in proof.formula.splitlines() if "objective" in line).rstrip(".").split(": ")[1]
    times, _, rest = words.partition(" * objective")
    constant, _, per = rest.partition(", divided by ")
    return Fraction(int(times)), Fraction(int(constant.removeprefix(" + ") or 0)), Fraction(int(per or 1))


@pytest.mark.parametrize("seed", range(60))
def test_the_proof_shows_the_optimum(seed):
    best, proof = exported(seed)
    times, constant, per = said(proof)
    value = pseudo_boolean.optimum(proof.formula, proof.proof)
    assert float((times * value + constant) / per) == pytest.approx(best.objective, abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_the_formula_has_the_optimum_of_all_rule_sets(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 30))
    A = rng.random((n, 4)) < 0.5
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(n) < 0.3)
    y[:2] = True, False
    weight, penalty = rng.integers(1, 9, n), ("0", "0.3", "2")[seed % 3]
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    search = rl.RuleSetSearch(problem, max_complexity=6, max_conditions=2, regularization=float(penalty))
    proof = rl.export_proof(problem, rl.solve(search).incumbent.model, search.certificate())
    times, constant, per = said(proof)
    value = (times * pseudo_boolean.optimum(proof.formula, proof.proof) + constant) / per
    assert value == naive.best_rule_set(A, y, weight.tolist(), 6, 2, penalty=Fraction(penalty))


def with_cases():
    """A proof whose first sum leaves sets, so that there are cases."""
    for seed in range(200):
        best, proof = exported(seed)
        if proof.proof.count("\npol ") > 2:
            return best, proof
    raise AssertionError("no problem needs cases")


def test_cases_are_told_apart():
    _, proof = with_cases()
    assert " >= 1 : ~ " in proof.proof
    pseudo_boolean.optimum(proof.formula, proof.proof)


def test_lines_that_are_changed_are_refused():
    _, proof = with_cases()
    lines = proof.proof.splitlines()
    refused = 0
    for k in range(2, len(lines)):
        for changed in tampered(lines, k):
            with pytest.raises((AssertionError, IndexError, KeyError, ValueError)):
                pseudo_boolean.optimum(proof.formula, "\n".join(changed) + "\n")
            refused += 1
    assert refused >= len(lines)


def tampered(lines, k):
    yield [*lines[:k], *lines[k + 1 :]]
    words = lines[k].split()
    if words[0] == "conclusion":
        yield [*lines[:k], lines[k].replace(f"BOUNDS {words[2]}", f"BOUNDS {int(words[2]) + 1}"), *lines[k + 1 :]]
    if words[0] == "soli":
        other = [word[1:] if word[0] == "~" else f"~{word}" for word in words[1:-1]]
        yield [*lines[:k], " ".join(["soli", *other, ";"]), *lines[k + 1 :]]


def test_a_proof_does_not_fit_a_formula_with_more_room():
    refused = 0
    for seed in range(60):
        _, settings, best, _, problem = written(seed)
        more = settings["max_complexity"] + 2
        other = rl.solve(rl.RuleSetSearch(problem, **{**settings, "max_complexity": more})).incumbent
        if other.objective < best.objective:
            _, proof = exported(seed)
            roomy = proof.formula.replace(f">= -{settings['max_complexity']} ;", f">= -{more} ;")
            assert roomy != proof.formula
            with pytest.raises(AssertionError):
                pseudo_boolean.optimum(roomy, proof.proof)
            refused += 1
    assert refused > 3


def test_what_is_not_written_is_said(monkeypatch):
    _, settings, best, certificate, problem = written(1)
    lists = rl.RuleListSearch(problem, 0.05)
    of_list = rl.solve(lists).incumbent.model
    with pytest.raises(rl.CertificateError, match="of a rule list"):
        rl.export_proof(problem, of_list, lists.certificate())
    errors = rl.RuleSetSearch(problem, **settings, loss="zero_one")
    of_errors = rl.solve(errors).incumbent.model
    with pytest.raises(rl.CertificateError, match="only proofs for the Hamming loss"):
        rl.export_proof(problem, of_errors, errors.certificate())
    asked = rl.RuleSetSearch(problem, **{**settings, "max_complexity": 8}, must_use=[problem.names[0]])
    of_asked = rl.solve(asked).incumbent.model
    with pytest.raises(rl.CertificateError, match="demands"):
        rl.export_proof(problem, of_asked, asked.certificate())
    with pytest.raises(rl.CertificateError, match="not valid"):
        rl.export_proof(rl.Problem.from_arrays([[0], [1]], [0, 1]), best.model, certificate)
    monkeypatch.setattr(formula, "MOST_RULES", 1)
    with pytest.raises(rl.CertificateError, match="more than 1 rules"):
        rl.export_proof(problem, best.model, certificate)


def test_too_many_cases_are_refused(monkeypatch):
    for seed in range(200):
        *_, best, certificate, problem = written(seed)
        if rl.export_proof(problem, best.model, certificate).proof.count("\npol ") > 2:
            break
    monkeypatch.setattr(branching, "MOST_CASES", 1)
    with pytest.raises(rl.CertificateError, match="more than 1 cases"):
        rl.export_proof(problem, best.model, certificate)


def test_multipliers_beyond_64_bits_are_exact():
    A, y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]], dtype=bool), np.array([1, 0, 1, 0], dtype=bool)
    weight = np.array([3, 10**9, 10**9 + 1, 7])
    search = rl.RuleSetSearch(rl.Problem.from_arrays(A, y, sample_weight=weight), max_complexity=4)
    best = rl.solve(search).incumbent
    proof = rl.export_proof(search.problem, best.model, search.certificate())
    times, constant, per = said(proof)
    assert (times * pseudo_boolean.optimum(proof.formula, proof.proof) + constant) / per == Fraction(best.objective)


def test_names_are_on_one_line_of_ascii():
    A, y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]], dtype=bool), np.array([1, 0, 1, 0], dtype=bool)
    problem = rl.Problem.from_arrays(A, y, names=["größer\nals 2", "b"])
    search = rl.RuleSetSearch(problem, max_complexity=4)
    best = rl.solve(search).incumbent
    proof = rl.export_proof(problem, best.model, search.certificate())
    assert proof.formula.isascii()
    assert pseudo_boolean.optimum(proof.formula, proof.proof) == best.objective
    assert all(line[0] in "*m+-" for line in proof.formula.splitlines())


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, proof, name = (str(tmp_path / each) for each in ("model.json", "proof.npz", "exported"))
    options = ["--model", "rule-set", "--max-complexity", "10", "--max-conditions", "2", "--thresholds", "3"]
    assert main(["fit", "diabetes", *options, "-o", model, "--proof", proof]) == 0
    assert main(["export-proof", "diabetes", model, proof, "-o", name]) == 0
    shown = capsys.readouterr()
    assert "veripb" in shown.out + shown.err
    value = pseudo_boolean.optimum(Path(f"{name}.opb").read_text(), Path(f"{name}.pbp").read_text())
    assert value == rl.load_model(model).hamming_loss
    assert main(["export-proof", "diabetes", model, proof, "-o", str(tmp_path / "nowhere" / "x")]) == 2
    assert main(["export-proof", "heart", model, proof, "-o", name]) == 1
