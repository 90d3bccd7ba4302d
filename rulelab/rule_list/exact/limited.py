"""The proof that no list of at most so many rules is better."""

from __future__ import annotations

from ...certificate import Certificate, CertificateError
from ...certificate.parts import look
from ...data.problem import Problem
from ...models import RuleList
from ...snapshot import Status
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

    Raises
    ------
    CertificateError
        When a ``bound`` is to be proven, when memory is short, or weights have too many digits.
    """
    if bound is not None:
        raise CertificateError(
            "certificates of a bound need max_length=None: that of this search holds for its length alone; "
            "ConstrainedRuleListSearch with the same max_length has one"
        )
    learner = ConstrainedRuleListSearch(
        problem, regularization, max_length=max_length, memory_limit=memory_limit, warm_start=model
    )
    for ended in learner.steps():  # noqa: B007 - the last one is looked at
        look()
    if ended.limit == "exactness":
        raise CertificateError("the weights have too many digits to be summed exactly with this regularization")
    if ended.status is not Status.OPTIMAL:
        raise CertificateError("the memory limit does not allow to prove lists of limited length")
    return learner.certificate_of(model)
