"""Ten minutes before an audience: what to show and what to say, as a page."""

from __future__ import annotations

from ..widgets.esc import esc

KEYS = (
    ("P", "presenter mode on and off: settings away, larger type"),
    ("Space", "Run, Pause"),
    ("→", "one step; while looking back, the next moment"),
    ("←", "the moment before"),
    ("1 … 6", "speed, from one step in a quarter of a second to as fast as it can"),
    ("R", "Replay; once more: hold"),
    ("0", "Reset"),
)
"""What the keyboard does in presenter mode."""

MINUTES = (
    (
        "0:00",
        "Search: Test share 0.3, then “COMPAS in seconds”; at “certified optimal” press Pin model",
        "A model that decides about people should be one that a person can read. Here is one: a few lines. The "
        "question is whether some other few lines would have done better.",
    ),
    (
        "1:00",
        "Reset, then “Tic-tac-toe, step by step”; P; → fifteen times",
        "The search grows lists rule by rule. The orange line is the best list so far, the dashed blue one is what no "
        "list can beat. Between them is everything that we do not know yet.",
    ),
    (
        "3:00",
        "Bounds, among the names over the tree: point at the bars",
        "Most beginnings of lists are thrown away at once, each for a reason with a theorem behind it. That is why "
        "few are looked at, and none is missed.",
    ),
    (
        "4:00",
        "Space; wait for “certified optimal”; R",
        "Where the lines meet, the proof is done. Played slowly: better lists came again and again, and in the end "
        "only the bound still rose. That time was spent on being sure.",
    ),
    (
        "5:30",
        "Verify, under the rules",
        "Nobody needs to believe this program. The proof is a file, and a second, much simpler program checks it from "
        "the rows.",
    ),
    (
        "6:30",
        "P; Data set compas, Regularization 0.005; Run; at “certified optimal” press Pin model",
        "What does one more rule buy? The price of a rule is ours to choose; what is optimal at that price is not.",
    ),
    (
        "7:30",
        "Learn, “What fairness costs”: Start; Run; Next; Tolerance 0.1; Run",
        "Now only models count that find the positives of both groups about equally often. The price is on the table, "
        "and it is proven: no model over these conditions gets it cheaper.",
    ),
    (
        "9:00",
        "Compare: the two models that you pinned",
        "Side by side, with intervals on rows that no model has seen. Optimal on the training rows does not mean "
        "right, fair or fit for a decision: that remains with us.",
    ),
)
"""When, what to show, and what to say; a browser test performs each line."""


def script_html() -> str:
    """The page."""
    rows = "".join(
        f'<tr><td>{time}</td><td class="text">{esc(show, 300)}</td><td class="text">{esc(say, 600)}</td></tr>'
        for time, show, say in MINUTES
    )
    keys = "".join(f"<tr><td><kbd>{esc(key)}</kbd></td><td>{esc(does)}</td></tr>" for key, does in KEYS)
    return (
        "<h2>Ten minutes before an audience</h2>"
        '<div class="scroll"><table class="script"><caption>What to show, and what to say</caption>'
        '<tr><th scope="col">minute</th><th scope="col">show</th><th scope="col">say</th></tr>'
        f"{rows}</table></div><h3>Keys, on the Search tab</h3>"
        f'<div class="scroll"><table class="keys">{keys}</table></div>'
    )
