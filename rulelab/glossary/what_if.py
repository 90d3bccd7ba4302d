"""Terms of lists that are edited by hand, and of one person before a list."""

from __future__ import annotations

from .term import OWN, Term

TERMS = (
    Term(
        "list edited by hand",
        "A rule list, falling rule list or rule set that a person makes.",
        "A rule of a rule list keeps its label, whatever it comes to capture; that of a falling list follows from what "
        "it captures, and a list whose proportions rise somewhere has no distance from the optimum. Each edit counts "
        "objective, errors and the rates of groups anew, without rounding. A model made by hand is never called "
        "certified, not even where it is as good as the optimum.",
        see=("rule list", "objective", "best single change"),
        aliases=("your list", "what if", "beat the optimizer"),
    ),
    Term(
        "above the best",
        "How much larger the objective of your list is than that of the best list which the search has found.",
        "Where the search has certified its list, this is the distance from the optimum. One wrong row costs 1 / n.",
        "R(your list) − R(best list)",
        see=("objective", "certificate"),
        aliases=("distance from the optimum",),
    ),
    Term(
        "best single change",
        "Of all deletions, insertions, replacements, moves and label flips the one that leaves the least objective.",
        "In a rule set they are of rules and of conditions. "
        "All of them are tried, exactly. Two changes together may bring more, so that a list may be best of its "
        "neighbours and still not optimal.",
        source=OWN,
        see=("list edited by hand",),
        aliases=("hints", "hint"),
    ),
    Term(
        "nearest change",
        "The fewest columns of one person, of those that may be changed, that would flip the list’s decision.",
        "Of changes of as many columns it is the one that passes the smallest share of the data’s values. The "
        "conditions of the rules cut the values of each column into cells, and all combinations of cells are looked "
        "at, so that “no change flips it” is proven for this list. It says what the list does, not what would happen "
        "to the person.",
        source=OWN,
        see=("condition",),
        aliases=("one person", "row of the data", "row", "may change"),
    ),
    Term(
        "room",
        "All who enter the same name see each other’s names and best objectives, where data and settings are the same.",
        "The board is in the memory of this server: nothing else is kept, and who leaves the page leaves the room. "
        "Lists that are made after the optimum was revealed do not count.",
        see=("list edited by hand",),
        aliases=("your name", "called", "board"),
    ),
    Term(
        "time limit of the optimizer",
        "How long the search for the optimum may take that your list is compared with.",
        see=("time limit",),
    ),
)
