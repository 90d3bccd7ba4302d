"""Breaks one bound, lemma, price, rounding or message after the other, and says which of them no test sees.

``python tests/mutations.py [WORD ...]`` runs those whose names hold one of the words, or all; ``--list`` names them.
Each is made in a copy of the project, and the tests that are named for it have to fail there. By hand: it takes some
twenty minutes.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from places import ROOT


class Mutant(NamedTuple):
    """What is broken, in which file, by which text in place of which, and the tests that have to see it."""

    name: str
    file: str
    text: str
    wrong: str
    tests: str


MUTANTS = (
    Mutant(
        "bound: lookahead of rule lists",
        "rule_list/exact/expansion.py",
        "if rules.lookahead and child_cost + per_rule >= best:",
        "if rules.lookahead and child_cost + 3 * per_rule >= best:",
        "test_crossed test_bound_switches",
    ),
    Mutant(
        "bound: pairs of further rules",
        "rule_list/exact/expansion.py",
        "fewest = 2 if rules.pair_lookahead else 1",
        "fewest = 4 if rules.pair_lookahead else 1",
        "test_crossed test_bound_switches test_separation",
    ),
    Mutant(
        "bound: near-optimal lists",
        "rule_list/near_optimal/kernels.py",
        "if child_cost > limits.threshold:",
        "if child_cost >= limits.threshold:",
        "test_near_optimal",
    ),
    Mutant(
        "bound: errors by number of rules",
        "rule_list/frontier/kernels.py",
        "if child_cost + missed >= best:",
        "if child_cost + missed + 2 >= best:",
        "test_frontier",
    ),
    Mutant(
        "bound: fronts hand bounds to all places",
        "frontiers/search.py",
        "less = [self._places[i] for i in self._less[j]]",
        "less = self._places",
        "test_gap_frontier",
    ),
    Mutant(
        "fit: fronts hand models on that are not accurate enough",
        "frontiers/frontier.py",
        "found.errors <= self._most_errors[place]",
        "found.errors <= self._most_errors[place] + 1",
        "test_gap_frontier",
    ),
    Mutant(
        "rounding: bounds as floats",
        "data/exact_weights.py",
        "return near if near <= value else",
        "return near if near >= value else",
        "test_exact_weights",
    ),
    Mutant(
        "rounding: costs of rule sets",
        "rule_set/program.py",
        "return self.constant + -((self.constant - cost) // self.step) * self.step",
        "return self.constant + (2 + (cost - self.constant) // self.step) * self.step",
        "test_rule_set_search",
    ),
    Mutant(
        "rounding: what is only proven within rounding is said to be optimal",
        "snapshot.py",
        'return (Status.OPTIMAL, None) if exact else (Status.LIMIT, "exactness")',
        "return Status.OPTIMAL, None",
        "test_rule_list_search test_fair_list_certificates test_falling_exact",
    ),
    Mutant(
        "price: complexity of rule sets",
        "rule_set/program.py",
        "return self.constant + loss + self.penalty * complexity",
        "return self.constant + loss + self.penalty * max(0, complexity - 1)",
        "test_rule_set_search test_rule_set_fairness",
    ),
    Mutant(
        "price: complexity in the checker of rule sets",
        "certificate/rule_set/checker.py",
        "self.per_loss * self.sides.loss(times) + self.per_unit * complexity",
        "self.per_loss * self.sides.loss(times)",
        "test_rule_set_certificate",
    ),
    Mutant(
        "fairness: tolerance of rule sets",
        "rule_set/program.py",
        "sum(map(operator.mul, cover, y)) > bound:",
        "sum(map(operator.mul, cover, y)) > 2 * bound:",
        "test_rule_set_fairness test_gap_frontier",
    ),
    Mutant(
        "lemma: tolerances in the dual of fair rule sets",
        "certificate/rule_set/dual.py",
        "offset -= parity.tolerance * sum(map(sum, exact), Fraction(0))",
        "offset += parity.tolerance * sum(map(sum, exact), Fraction(0))",
        "test_rule_set_certificate_fair",
    ),
    Mutant(
        "lemma: values of rule lists",
        "certificate/rule_list/checker.py",
        "rows = rows[known[group[rows]] < each.required[rows]]",
        "rows = rows[known[group[rows]] < each.required[rows] - 1]",
        "test_certificate test_certificate_lemmas",
    ),
    Mutant(
        "lemma: values of falling lists",
        "certificate/falling_rule_list/checker.py",
        "if not any(v >= required and p * n_v <= p_v * n",
        "if not any(v >= required - 1 and p * n_v <= p_v * n",
        "test_falling_certificate",
    ),
    Mutant(
        "claim: proofs of other data",
        "certificate/verification.py",
        "if certificate.fingerprint != problem.fingerprint:",
        "if certificate.fingerprint[:0] != problem.fingerprint[:0]:",
        "test_certificate test_rule_set_certificate",
    ),
    Mutant(
        "claim: lengths that are obeyed",
        "certificate/obeying.py",
        "if len(model) > longest:",
        "if len(model) > longest + 5:",
        "test_slices test_fair_list_certificates",
    ),
    Mutant(
        "message: a constraint that is broken",
        "certificate/rule_set/parity.py",
        "the model breaks a constraint: the",
        "the model is not good: the",
        "test_rule_set_certificate_fair",
    ),
    Mutant(
        "guess: words for yes",
        "datasets/guesses.py",
        "found = only([word in _YES for word in words])",
        "found = only([word not in _YES for word in words])",
        "test_datasets_read test_sheet test_datasets",
    ),
    Mutant(
        "figures: intervals of weighted rows",
        "data/metrics.py",
        "k, n = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(trials, dtype=float))",
        "k, n = np.broadcast_arrays(np.asarray(successes, dtype=float), 2 * np.asarray(trials, dtype=float))",
        "test_metrics",
    ),
)


def fails(copy: Path, names: str) -> bool:
    """Whether one of these tests fails in the copy."""
    tests = [str(path) for name in names.split() for path in copy.glob(f"tests/**/{name}.py")]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=copy, env=os.environ | {"PYTHONPATH": str(copy)}, capture_output=True)
    assert done.returncode in (0, 1), done.stdout.decode()[-2000:]
    return done.returncode == 1


def is_seen(mutant: Mutant, copy: Path) -> bool:
    """Whether a test fails when the copy has this fault; the copy is as before afterwards."""
    path = copy / "rulelab" / mutant.file
    right = path.read_text(encoding="utf-8")
    assert right.count(mutant.text) == 1, (
        f"{mutant.name}: {mutant.file} holds the text {right.count(mutant.text)} times"
    )
    path.write_text(right.replace(mutant.text, mutant.wrong), encoding="utf-8")
    try:
        return fails(copy, mutant.tests)
    finally:
        path.write_text(right, encoding="utf-8")


def main() -> int:
    """Run them; status 1 when one is not seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", metavar="WORD", help="run those whose names hold one of these")
    parser.add_argument("--list", action="store_true", help="name them, and run none")
    asked = parser.parse_args()
    mutants = [each for each in MUTANTS if not asked.words or any(word in each.name for word in asked.words)]
    if asked.list:
        print(*(each.name for each in mutants), sep="\n")  # noqa: T201
        return 0
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv"))
        names = {name for each in mutants for name in each.tests.split()}
        assert not fails(copy, " ".join(sorted(names))), "a test fails without any fault"
        for mutant in mutants:
            seen = is_seen(mutant, copy)
            missed += not seen
            print("seen  " if seen else "MISSED", mutant.name, flush=True)  # noqa: T201
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
