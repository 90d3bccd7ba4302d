"""Why a proof rules out a model of the reader's choice."""

from __future__ import annotations

from ..data.problem import Problem
from ..models import Model, RuleList
from .certificate import Certificate, CertificateError
from .exclusion import Exclusion
from .rule_list.exclusion import exclude
from .verification import verify


def explain_proof(problem: Problem, model: Model, certificate: Certificate, asked: RuleList) -> Exclusion:
    """The lines of a proof that show why a rule list of one's choice is no better than the proven one.

    The proof is checked first. Then the list is followed through its table: the cost of the rules so far and the least
    cost of what they leave never add up to less than the optimum, up to the line that ends the question.

    Parameters
    ----------
    problem : Problem
        The training data.
    model : RuleList
        The model that the certificate proves optimal.
    certificate : Certificate
        Of a rule list without further constraints.
    asked : RuleList
        Any other list over the same antecedents, with labels of its own or without.

    Returns
    -------
    Exclusion
        ``str()`` says it in words, ``frame`` has the lines as numbers.

    Raises
    ------
    CertificateError
        When the proof is not valid, is of another kind, or the list does not fit the problem.

    Examples
    --------
    >>> import rulelab as rl
    >>> problem = rl.Problem.from_arrays([[0, 1], [1, 1], [1, 0], [0, 0]] * 5, [0, 1, 1, 0] * 5)
    >>> search = rl.RuleListSearch(problem, regularization=0.1)
    >>> best = rl.solve(search).incumbent.model
    >>> asked = rl.RuleList.from_problem(problem, [1])
    >>> print(rl.explain_proof(problem, best, search.certificate(), asked).lines[-1].kind)
    bound
    """
    if not isinstance(asked, RuleList):
        raise CertificateError(f"explain_proof asks about a RuleList, not about {type(asked).__name__}")
    checked = verify(problem, model, certificate)
    if not checked:
        raise CertificateError(f"the proof is not valid: {checked.reason}")
    plain = set(certificate.parameters) == {"regularization"} and {"sets", "values"} <= set(certificate.arrays)
    if not (isinstance(model, RuleList) and plain):
        beside = ", ".join(sorted(set(certificate.parameters) - {"regularization"}))
        this = f"this one is of a {model.family}{f' with {beside}' if beside else ''}".replace("_", " ")
        raise CertificateError(f"only proofs of rule lists without further constraints can be explained; {this}")
    return exclude(problem, model, certificate.parameters["regularization"], certificate.arrays, asked)
