"""The incumbent of a search in words. All text from data goes through `esc`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...data.gaps import price
from ...families.account import Account
from ...models import FallingRuleList, Model, MultiClassRuleList, RuleSet
from ...report import TITLE, Known, doubted
from ...shown import percent, with_interval
from ...snapshot import Incumbent, Snapshot, Status
from ..live.prepared import TrainingRows
from ..live.wording import count, grouped, objective
from ..widgets.esc import esc
from ..widgets.explained import word
from .rule_tables import rules_table
from .templates import filled


def incumbent_card(
    best: Incumbent,
    labels: tuple[Any, Any] | None = None,
    target: str = "",
    equation: str = "",
    spare: int = 0,
    rows: float | None = None,
    counted: bool = False,
    training: TrainingRows | None = None,
) -> str:
    """The incumbent in words, with what each of its rules captured in training, and a sum.

    `labels`: what to call the negative and the positive class; default: the model's labels. `target`: what is
    predicted. `equation`: the objective, taken apart. `spare`: for how many more rules there is place. `rows`: how many
    training rows there are; by default as many as they weigh. `counted`, `training`: see `rules_table`.
    """
    model = best.model
    names = dict(zip(model.classes, labels or model.classes, strict=True))
    wrong, weight = best.errors, model.weight
    worth = esc(grouped(equation), 400) or objective(best.objective, model.family)
    return (
        f"{rules_table(model, names, target, counted=counted, training=training)}"
        f'<p class="sum">{_size(model)}, {_of_rows(wrong, weight, rows)} wrong '
        f"({percent(wrong / weight)}&nbsp;%), objective {worth}.</p>" + spare * '<div class="spare"></div>'
    )


def _of_rows(wrong: float, weight: float, rows: float | None) -> str:
    """How much of the training rows is wrong: their number, or their weight where that is another."""
    if rows is None or rows == weight:
        return f"{count(wrong)} of {count(weight)} training {'row' if weight == 1 else 'rows'}"
    return f"weight {count(wrong)} of {count(weight)} ({count(rows)} training rows)"


def fairness_notes(latest: Snapshot, unconstrained: Snapshot | None, counted: Mapping[str, float] | None = None) -> str:
    """What is to be known of a fair model: what fairness costs, and whom it is not about; HTML.

    `counted`: the gaps as a constraint counts them that counts an error of several rules several times.
    """
    best, left_out, said = latest.incumbent, latest.detail.get("left_out"), []
    if best is not None and unconstrained is not None and unconstrained.incumbent is not None:
        free = unconstrained.incumbent
        accuracies = (float(1 - each.errors / each.model.weight) for each in (best, free))
        so_far = "" if latest.status is Status.OPTIMAL else " so far"
        said.append(f'<p class="sum">On the training rows{so_far} {esc(_price(*accuracies))}.</p>')
    true = latest.detail.get("true_gaps") or {}
    more = {rate.replace("_", " "): gap for rate, gap in (counted or {}).items() if gap != true.get(rate)}
    if more:
        by_rule = ", ".join(f"{rate}s {percent(gap)} points" for rate, gap in more.items())
        said.append(f'<p class="sum">A constraint counts an error of two rules twice; as counted: {by_rule}.</p>')
    if left_out:
        said.append(f'<p class="sum">Groups are {esc(left_out, 400)}.</p>')
    return "".join(said)


def on_test_rows(known: Known) -> str:
    """What is wrong on the rows that were kept out of training, as what is wrong on the others is said; HTML."""
    if known.test is None:
        return ""
    right = known.test.accuracy, *known.test.interval("accuracy")
    value, high, low = (1 - each for each in right)
    wrong = with_interval(value, low, high)
    return f'<p class="sum">Of {count(known.test.n_rows)} test rows {wrong}&nbsp;% are wrong.</p>'


def doubt_list(known: Known) -> str:
    """What is to be doubted of a model, as a list; empty when nothing is."""
    return filled("doubts.html", title=TITLE, doubts=doubted(known))


def _price(accuracy: float, without: float) -> str:
    if accuracy < without:
        return price(accuracy, without)
    return f"the constraint costs no accuracy: {percent(accuracy)} % right, {percent(without)} % without it"


def proof_block(shown: Account) -> str:
    """What a search that has ended has shown, to be read and copied."""
    if not shown.search_space:
        return ""
    space, ruled_out = esc(grouped(shown.search_space), 600), esc(grouped(shown.ruled_out), 600)
    return (
        f'<details class="shown"><summary>{space}</summary><p>{ruled_out}</p>'
        f'<button type="button" class="copy" data-copy="{esc(shown, 2000)}">Copy</button> {word("Possible lists")}'
        "</details>"
    )


def rules_in_words(n: int) -> str:
    """How many rules, in words."""
    return "no rule, only the default" if n == 0 else "1 rule" if n == 1 else f"{n} rules"


def _size(model: Model | MultiClassRuleList) -> str:
    if isinstance(model, RuleSet) and not model.rules:
        return "no rule"
    said = rules_in_words(len(model.rules))
    if isinstance(model, FallingRuleList):
        falls = "" if model.falls else ", which do not fall everywhere"
        return f"{said}{falls}, positive above {model.threshold:.3g}"
    return said


def in_place_of(before: str, now: str) -> str:
    """``now``, with the height of what stood there before, which is neither seen nor told."""
    return f'<div class="place"><div class="before" aria-hidden="true">{before}</div><div>{now}</div></div>'
