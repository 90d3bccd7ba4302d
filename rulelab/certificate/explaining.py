"""Why a proof rules out a model of the reader's choice."""

from __future__ import annotations

from ..data.problem import Problem
from ..models import FallingRuleList, Model, RuleList
from .certificate import Certificate, CertificateError
from .exclusion import Exclusion
from .falling_rule_list import soft_exclusion
from .falling_rule_list.checker import NEEDED
from .falling_rule_list.soft import PENALTY
from .obeying import about_all
from .rule_list.exclusion import exclude
from .verification import verify


def explain_proof(
    problem: Problem,
    model: Model,
    certificate: Certificate,
    asked: RuleList | FallingRuleList,
    time_limit: float | None = None,
) -> Exclusion:
    """The lines of a proof that show why a list of one's choice is no better than the proven one.

    The proof is checked first. Then the list is followed through its table: the cost of the rules so far and the least
    cost of what they leave never add up to less than the optimum, up to the line that ends the question.

    Parameters
    ----------
    problem : Problem
        The training data.
    model : RuleList or FallingRuleList
        The model that the certificate proves optimal.
    certificate : Certificate
        Of a rule list without further constraints, or of a softly falling list.
    asked : RuleList or FallingRuleList
        Any other list of that kind over the same antecedents: a rule list with labels of its own or without, a softly
        falling list with the weight and the penalty of the proof.
    time_limit : float, optional
        Seconds that checking the proof may take.

    Returns
    -------
    Exclusion
        ``str()`` says it in words, ``frame`` has the lines as numbers.

    Raises
    ------
    CertificateError
        When the proof is not valid, is of another kind, or the list does not fit the problem.
    TimeoutError
        When the proof is not checked within the time limit.

    Examples
    --------
    >>> import rulelab as rl
    >>> problem = rl.Problem.from_arrays([[0, 1], [1, 1], [1, 0], [0, 0]] * 5, [0, 1, 1, 0] * 5)
    >>> search = rl.RuleListSearch(problem, regularization=0.1)
    >>> best = rl.solve(search).incumbent.model
    >>> asked = rl.RuleList.from_problem(problem, [1])
    >>> print(rl.explain_proof(problem, best, search.certificate(), asked).lines[-1].kind)
    rule
    """
    if not isinstance(asked, RuleList | FallingRuleList):
        raise CertificateError(f"explain_proof asks about a RuleList, not about {type(asked).__name__}")
    checked = verify(problem, model, certificate, time_limit=time_limit)
    if not checked:
        raise CertificateError(f"the proof is not valid: {checked.reason}")
    certificate = about_all(certificate)
    if isinstance(model, FallingRuleList) and set(certificate.parameters) == {*NEEDED, PENALTY}:
        if not isinstance(asked, FallingRuleList):
            raise CertificateError("the proof is of a softly falling list: ask about a FallingRuleList")
        return soft_exclusion.exclude(problem, model, certificate.parameters, certificate.arrays, asked)
    plain = set(certificate.parameters) == {"regularization"} and {"sets", "values"} <= set(certificate.arrays)
    if not (isinstance(model, RuleList) and plain):
        beside = ", ".join(sorted(set(certificate.parameters) - {"regularization"}))
        this = f"this one is of a {model.family}{f' with {beside}' if beside else ''}".replace("_", " ")
        raise CertificateError(
            "only proofs of rule lists without further constraints, and of softly falling lists, can be explained; "
            f"{this}"
        )
    if not isinstance(asked, RuleList):
        raise CertificateError("the proof is of a rule list, and the list that is asked about is a falling one")
    return exclude(problem, model, certificate.parameters["regularization"], certificate.arrays, asked)
