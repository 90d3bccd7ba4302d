"""A rule set's certificate as a pseudo-Boolean proof, line by line."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..certificate import Certificate, CertificateError, verify
from ..certificate.rule_set.checker import Case, read_claim
from ..certificate.rule_set.dual import read_dual
from ..data.problem import Problem
from ..models import Model, RuleSet
from .branching import Cases, Multipliers
from .formula import Formula, formula

_VERSION = "pseudo-Boolean proof version 3.0"


@dataclass(frozen=True, repr=False)
class PseudoBooleanProof:
    """A formula, and the proof of its optimum.

    Attributes
    ----------
    formula : str
        In OPB; what the variables mean stands in its comments.
    proof : str
        In the format of VeriPB, version 3.0.
    n_variables, n_constraints, n_lines : int
        Of the formula, and of the proof.
    """

    formula: str
    proof: str
    n_variables: int
    n_constraints: int
    n_lines: int

    def __repr__(self) -> str:
        sizes = f"{self.n_variables} variables, {self.n_constraints} constraints, {self.n_lines} lines"
        return f"<PseudoBooleanProof: {sizes}>"

    def save(self, path: str | Path) -> tuple[Path, Path]:
        """Write the formula and the proof beside each other.

        Parameters
        ----------
        path : str or Path
            Name without an ending: ``.opb`` and ``.pbp`` are added.

        Returns
        -------
        formula, proof : Path
        """
        files = Path(f"{path}.opb"), Path(f"{path}.pbp")
        for file, text in zip(files, (self.formula, self.proof), strict=True):
            file.write_text(text, encoding="ascii")
        return files


def export_proof(problem: Problem, model: Model, certificate: Certificate) -> PseudoBooleanProof:
    """Write a small proof of a rule set so that checkers of others can read it.

    The certificate is checked first. The formula lists all conjunctions, so that the proof needs no word of ours: what
    has to be believed is that the formula means the problem. The dual values become one sum of its constraints; where
    that leaves sets, cases follow, with sums of their own (Gocht and Nordstrom, AAAI 2021, for the format).

    Parameters
    ----------
    problem : Problem
        The training data.
    model : RuleSet
        That the certificate proves optimal.
    certificate : Certificate
        For the Hamming loss, without fairness constraints and demands.

    Returns
    -------
    PseudoBooleanProof

    Raises
    ------
    CertificateError
        When the certificate is not valid, is of another kind, or the proof is too large: more than 20000 conjunctions
        that cover different rows, or 2000 cases.

    Examples
    --------
    >>> import rulelab as rl
    >>> problem = rl.Problem.from_arrays([[0, 1], [1, 1], [1, 0], [0, 0]] * 5, [0, 1, 1, 0] * 5)
    >>> search = rl.RuleSetSearch(problem, max_complexity=4)
    >>> best = rl.solve(search).incumbent.model
    >>> rl.export_proof(problem, best, search.certificate()).proof.splitlines()[0]
    'pseudo-Boolean proof version 3.0'
    """
    checked = verify(problem, model, certificate)
    if not checked:
        raise CertificateError(f"the proof is not valid: {checked.reason}")
    if not isinstance(model, RuleSet):
        raise CertificateError(
            f"only proofs of rule sets are written as pseudo-Boolean ones; this one is of a "
            f"{model.family.replace('_', ' ')}"
        )
    claim = read_claim(certificate.parameters) if _plain(certificate) else None
    if claim is None or claim.zero_one or claim.tolerances:
        raise CertificateError(
            "only proofs for the Hamming loss, without fairness constraints and demands, are written as "
            "pseudo-Boolean ones"
        )
    case = Case(problem, model, claim)
    dual = read_dual(case.sides, (), certificate.arrays, claim.grid, case.per_loss, claim.max_complexity)
    stated = formula(case, model.clauses)
    taken = dual.taken[case.sides.wanted.sum(axis=0) > 0].tolist()
    lines = _Lines(stated)
    lines.prove(Multipliers(claim.grid * case.step, taken, dual.price))
    names = problem.names if model.form == "dnf" else [f"not {name}" for name in problem.names]
    text = stated.text(names, _about(stated, claim.max_conditions, case.per_loss, model.form))
    return PseudoBooleanProof(
        text, "\n".join(lines.text) + "\n", stated.n_variables, stated.n_constraints, len(lines.text)
    )


def _plain(certificate: Certificate) -> bool:
    return set(certificate.arrays) == {"dual", "price"}


def _about(stated: Formula, conditions: int, per_loss: int, form: str) -> list[str]:
    """What the formula means."""
    constant = f" + {stated.constant}" if stated.constant else ""
    times = f"{stated.unit} * objective{constant}"
    return [
        f"Rule sets of complexity at most {stated.max_complexity}, of at most {conditions} conditions a rule.",
        f"Their Hamming loss, in weight, with what complexity costs: {times}"
        + (f", divided by {per_loss}." if per_loss > 1 else "."),
        f"x1 to x{stated.n_patterns}: no rule covers a pattern that rules should cover."
        if stated.n_patterns
        else "Rules should cover nothing.",
        "The others: a rule is in the set" + ("; it covers what is not predicted positive." if form == "cnf" else "."),
    ]


class _Lines:
    """The lines of a proof; constraints have numbers, those of the formula first."""

    def __init__(self, stated: Formula) -> None:
        self.formula = stated
        self.text = [_VERSION, f"f {stated.n_constraints} ;"]
        self._last = stated.n_constraints
        self._unused: dict[int, int] = {}

    def prove(self, whole: Multipliers) -> None:
        """All lines, from the dual values of the certificate on."""
        stated = self.formula
        self._add(f"soli {stated.solution}")
        self._improving = self._last
        patterns, rules, right = whole.left(stated)
        slack = sum(x for x in patterns.tolist() if x > 0) + sum(x for x in rules.tolist() if x > 0) - right
        first = self._sum(whole)
        if slack < 0:
            nothing = self._add(f"rup >= 1 : ~ {first}")
        else:
            excluded = [k for k, x in enumerate(rules.tolist()) if -x > slack]
            for k in excluded:
                self._unused[k] = self._add(f"rup +1 ~{stated.rule(k)} >= 1 : ~ {first}")
            kept = np.setdiff1d(np.arange(len(stated.rules)), excluded)
            nothing = self._rule_out(Cases(stated, kept))
        self.text += [
            "output NONE ;",
            f"conclusion BOUNDS {stated.optimum} : {nothing} {stated.optimum} : {stated.solution} ;",
            "end pseudo-Boolean proof ;",
        ]

    def _rule_out(self, cases: Cases) -> int:
        """Cases one after another, the last of each two first said to be impossible together; the number of the end."""
        closed: list[int] = []
        stack: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = [("open", (), ())]
        while stack:
            what, inside, outside = stack.pop()
            if what == "close":
                second, first = closed.pop(), closed.pop()
                closed.append(self._exclude(cases, inside, outside, (first, second)))
                continue
            multipliers, branch = cases.solve(set(inside), set(outside))
            if multipliers is not None:
                unused = self._needed(multipliers)
                closed.append(self._exclude(cases, inside, outside, (*unused, self._sum(multipliers))))
            elif branch is not None:
                stack += [
                    ("close", inside, outside),
                    ("open", inside, (*outside, branch)),
                    ("open", (*inside, branch), outside),
                ]
        return closed.pop()

    def _needed(self, multipliers: Multipliers) -> list[int]:
        """The lines that say of rules that would gain at these multipliers that they are out."""
        known = np.array(list(self._unused), dtype=np.int64)
        _, gains, _ = multipliers.left(self.formula, known)
        return [self._unused[int(k)] for k, x in zip(known, gains.tolist(), strict=True) if x > 0]

    def _exclude(self, cases: Cases, inside: Iterable[int], outside: Iterable[int], by: tuple[int, ...]) -> int:
        literals = [f"+1 ~{self.formula.rule(int(cases.kept[k]))}" for k in inside]
        literals += [f"+1 {self.formula.rule(int(cases.kept[k]))}" for k in outside]
        return self._add(f"rup {' '.join([*literals, '>= 1'])} : ~ {' '.join(map(str, by))}")

    def _sum(self, multipliers: Multipliers) -> int:
        """The constraints times their multipliers, added up."""
        given = [(p + 1, x) for p, x in enumerate(multipliers.patterns)]
        given += [(self.formula.n_constraints, multipliers.complexity), (self._improving, multipliers.objective)]
        common = math.gcd(*(x for _, x in given))
        terms = [f"{number} {x // common} *" for number, x in given if x]
        return self._add("pol " + " ".join([terms[0], *(f"{term} +" for term in terms[1:])]))

    def _add(self, line: str) -> int:
        self.text.append(f"{line} ;")
        self._last += 1
        return self._last
