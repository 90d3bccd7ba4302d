"""What a fitted classifier says of its proof, from the search that it keeps."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..certificate import Certificate, Verification, verify
from ..multiclass import MultiClassRuleListSearch
from ..proving import prove
from ..questions import near_optimal
from ..search import Search
from ..snapshot import Status


class Proven:
    """A classifier that keeps its searches; pickles do without them, as they are large.

    Attributes
    ----------
    _searches : tuple of Search or None
        One for each model; None where there was nothing to search for.
    """

    models_: tuple[Any, ...]
    status_: Status
    _searches: tuple[Search | None, ...]

    def __dir__(self) -> list[str]:
        """The names of what there is, as scikit-learn has it; but no proof is made to see whether there is one."""
        return [name for name in object.__dir__(self) if hasattr(self, "search_" if name == "certificate_" else name)]

    @property
    def search_(self) -> Search:
        """The search that has found the model of two classes; its ``problem`` holds the rows as they were counted."""
        check_is_fitted(self, "models_")
        searches = getattr(self, "_searches", ())
        if not searches:
            raise AttributeError("the search is not kept in a pickle: fit again to have it")
        if len(searches) > 1:
            raise AttributeError(f"there are {len(searches)} classes, each with a search of its own")
        if searches[0] is None:
            raise AttributeError("there was nothing to search for: the model has no rules")
        return searches[0]

    @property
    def certificate_(self) -> Certificate:
        """The proof that the model is optimal, or of its bound; it is made when it is first asked for.

        Raises
        ------
        CertificateError
            When there is none.
        """
        search = self.search_
        bound_only = self.status_ is not Status.OPTIMAL and not isinstance(search, MultiClassRuleListSearch)
        proof: Certificate = prove(search, bound_only=bound_only)
        return proof

    def verify(self, time_limit: float | None = None) -> Verification:
        """Check the proof on the training rows, without the search.

        Parameters
        ----------
        time_limit : float, optional
            Wall-clock seconds.

        Raises
        ------
        CertificateError
            When there is no proof.
        TimeoutError
            At the time limit.
        """
        search = self.search_
        return verify(search.problem, self.models_[0], self.certificate_, time_limit=time_limit)

    def near(self, within: float = 0.01, time_limit: float | None = 40.0, **parameters: Any) -> Any:
        """All models whose objective is at most so much above the optimum.

        Parameters
        ----------
        within : float
            In units of the objective.
        time_limit : float, optional
            Wall-clock seconds.
        **parameters
            Of `rulelab.near_optimal`, such as ``limit`` or ``count``.

        Returns
        -------
        NearOptimal, NearOptimalRuleSets or NearOptimalCount
            What was found, and whether that is all of it.

        Raises
        ------
        ValueError
            For models of which near-optimal ones are not searched for, and when an argument is out of range.
        """
        return near_optimal(self, within, time_limit=time_limit, **parameters)
