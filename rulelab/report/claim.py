"""Which models a proof speaks of, and what it says of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..families import EVERY_FAMILY, least_gap
from ..families.wording import claimed, count, restricted

if TYPE_CHECKING:
    from ..search import Search


@dataclass(frozen=True)
class Claim:
    """What a search proves, in words.

    Attributes
    ----------
    noun : str
        What its models are called, such as "rule list".
    among : str
        Which of them it is about, such as " among the lists that use sex"; empty: all.
    aside : str
        What rules must not use, and where conditions must point, where ``among`` does not say it; may be empty.
    optimal : str
        What is true when it ends with a model.
    infeasible : str
        What is true when it ends without one, and what to do.
    """

    noun: str
    among: str
    aside: str
    optimal: str
    infeasible: str

    @classmethod
    def of(cls, search: Search, attribute: str = "", exact: bool = False) -> Claim:
        """Of a search; groups may be called by the attribute that tells them apart.

        With ``exact`` it says over how many antecedents, which a recorded search does not know.
        """
        parameters, aside = search.parameters, restricted(search.problem)
        asked, fair = claimed(parameters), _fair(search)
        noun = EVERY_FAMILY[search.family].called if search.family in EVERY_FAMILY else "model"
        short = noun.split(" of ")[0].split()[-1]
        m = search.problem.n_antecedents
        if search.kind == "least_gap":
            claim = least_gap.claim(parameters, m, attribute) + aside
            return cls(noun, "", "", claim, f"there is no {least_gap.meant(parameters, m)}; ask for less")
        if search.family == "rule_set":
            most = parameters.get("max_conditions")
            among = ("" if most is None else f" for rules of at most {count(most, 'condition')}") + aside
            among += f", of those that {asked}" if asked else ""
            aside, such, over = "", "such ", _over(m, "condition", exact)
        else:
            among = f" among the {short}s that {asked}" if asked else ""
            such, over = "such " if asked else "", f"{_over(m, 'antecedent', exact)}{aside}"
        softly = "softly " if parameters.get("violation_penalty") is not None else ""
        optimal = f"no {such}{fair or softly}{noun} over {over} has a smaller objective"
        if asked:
            meets = " and meet the fairness constraint" if fair else ""
            return cls(noun, among, aside, optimal, f"no {short} can {asked}{meets}; ask for less")
        complexity = parameters.get("max_complexity")
        which = noun if complexity is None else f"{noun} of complexity at most {complexity:g}"
        infeasible = f"no {which} meets the fairness constraint; allow a larger difference between the groups"
        return cls(noun, among, aside, optimal, _first(among, infeasible))

    @property
    def whole(self) -> str:
        """What is true of an optimal model, as one sentence."""
        return _first(self.among, self.optimal)


def _first(among: str, sentence: str) -> str:
    return f"{among.lstrip(' ,')}, {sentence}" if among else sentence


def _fair(search: Search) -> str:
    """A word for the models that meet a criterion; a recorded search tells it apart."""
    return "fair " if search.parameters.get("fairness") is not None or getattr(search, "fair", False) else ""


def _over(antecedents: int, noun: str, exact: bool) -> str:
    return f"these {count(antecedents, noun) if exact else noun + 's'}"
