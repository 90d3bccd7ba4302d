"""The proof that no list of at most so many rules is better."""

from __future__ import annotations

from ...certificate import Certificate, CertificateError
from ...certificate.parts import look
from ...data.problem import Problem
from ...models import RuleList
from ..constrained.search import ConstrainedRuleListSearch


def certificate_of_limited(
    problem: Problem,
    regularization: float,
    model: RuleList,
    max_length: int,
    memory_limit: int | None,
    bound: float | None,
) -> Certificate:
    """The certificate of a search with ``max_length``: that of a `ConstrainedRuleListSearch`, which is run for it.

    Raises CertificateError when a ``bound`` is to be proven, or memory is short.
    """
    if bound is not None:
        raise CertificateError(
            "certificates of a bound need max_length=None: that of this search holds for its length alone; "
            "ConstrainedRuleListSearch with the same max_length has one"
        )
    learner = ConstrainedRuleListSearch(
        problem, regularization, max_length=max_length, memory_limit=memory_limit, warm_start=model
    )
    for _ in learner.steps():
        look()
    if not learner.certified:
        raise CertificateError("the memory limit does not allow to prove lists of limited length")
    return learner.certificate_of(model)
