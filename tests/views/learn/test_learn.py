"""The guided walks without a browser: their texts, and each walked from the first step to the last."""

import json
import re
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import panel as pn
import pytest
from live import button, html, soup
from patience import wait_until

import rulelab as rl
from rulelab.families import FAMILIES
from rulelab.glossary import ProseError
from rulelab.views.learn.plan import Plan, Seen, Step, as_html, plan
from rulelab.views.learn.plans import PLANS, looked_back_to
from rulelab.views.learn.twelve import FACTS, PEOPLE, PRICE, STEPS, checked, prefixes, problem
from rulelab.views.learn.view import KEYS, SCRIPT, WALKS, LearnView, read_progress, script_html
from rulelab.views.learn.walk import Walk
from rulelab.views.live.state import TICK_SECONDS, State
from rulelab.views.search.controls import SPEEDS
from rulelab.views.widgets.explained import by_slug
from rulelab.views.widgets.html import Html


@pytest.fixture
def walk(request: pytest.FixtureRequest) -> Iterator[Walk]:
    made = Walk(request.param)
    yield made
    made.close()


def run(walk: Walk) -> None:
    """Press Run and wait for the end."""
    view = walk.view
    view.speed = "full speed"
    view.run()
    wait_until(lambda: (view.tick(), view.session.state.over)[1])
    view.tick()


def step(walk: Walk) -> None:
    """Press Step, and wait until it was done."""
    view, before = walk.view, walk.view.session.snapshot
    view.step()
    wait_until(lambda: view.session.snapshot is not before and not view.session.state.busy)
    view.tick()


def look_back(walk: Walk) -> None:
    """Go back through the moments until the step is done, or through all; then to the present."""
    view = walk.view
    for back in range(1, len(view.session.history)):
        view.rewind.move(-1)
        if back == 1 and "the moment" in walk.plan.steps[walk.step - 1].do:
            assert walk.step not in walk.done, "not any earlier moment is the one that is asked for"
        if walk.step in walk.done:
            break
    while view.moment is not None:
        view.forward()


def run_with(walk: Walk, choice: str | None) -> None:
    """Choose something, unless it is chosen, and press Run, after Reset where the run is over."""
    if choice is not None:
        walk.choose(choice)
    if walk.view.session.state.over:
        walk.view.reset()
    run(walk)


def do(walk: Walk) -> None:
    """What a step asks for, as its words say."""
    asked, chooses = walk.plan.steps[walk.step - 1].do, walk.plan.steps[walk.step - 1].chooses
    named = re.findall(r"(?<![\d.])(?:\d+\.\d+|\d+)(?![\d.])", asked) if chooses else [None]
    for choice in named:
        if choice is not None or ("Run" in asked and "Pause" not in asked and walk.step not in walk.done):
            run_with(walk, choice)
    for choice in walk.plan.choice.values if chooses else ():  # "each of", "the one that you would choose"
        if walk.step not in walk.done:
            run_with(walk, choice)
    if "Reset" in asked:
        walk.view.reset()
    for _ in range(40):
        if ("Step" in asked or "Pause" in asked) and walk.step not in walk.done:
            step(walk)
    if "slider" in asked:
        look_back(walk)


@pytest.mark.parametrize(("walk", "at"), [("falling lists", 2), ("branch and bound", 6)], indirect=["walk"])
def test_a_run_begins_anew_while_an_earlier_moment_is_looked_at(walk: Walk, at: int) -> None:
    run(walk)
    before, walk.step = walk.view.session, at
    walk.view.rewind.move(-1)
    assert walk.view.moment is not None
    walk.view.reset()
    run(walk)
    assert walk.view.session is not before
    assert walk.view.session.state is State.ENDED


@pytest.mark.parametrize(
    "walk", [pytest.param(n, marks=[pytest.mark.long] * (n != "equal rows")) for n in PLANS], indirect=True
)
def test_every_step_is_done_by_what_it_asks_for_and_is_answered(walk: Walk) -> None:
    for k, each in enumerate(walk.plan.steps, 1):
        assert walk.step == k
        assert walk.view.part(each.look_at) is not None, each.look_at
        assert k not in walk.done
        do(walk)
        assert k in walk.done, each.do
        assert "✓ Done." in html(walk)
        walk.answers = {**walk.answers, k: [each.choices[0]]}
        assert "<b>Right.</b>" in html(walk)
        assert "will show it here" not in html(walk)
        if k < len(walk.plan.steps):
            button(walk, "Next").clicks += 1
    assert walk.done == list(range(1, len(walk.plan.steps) + 1))
    assert walk.score == (len(walk.plan.steps),) * 2
    assert button(walk, "Next").disabled
    if walk.plan.choice is not None:
        rows = [line.find_all("td") for line in soup(html(walk)).select("table.runs tr")[1:]]
        assert len(rows) >= 3
        costs = [float(cell.get_text()) for cell in rows[0]]
        assert len(costs) == len(walk.plan.choice.values), "what is run again stays in its place"
        if walk.plan.name == "what fairness costs":
            assert costs == sorted(costs)
            assert len(set(costs)) > 2


@pytest.mark.long
@pytest.mark.parametrize("walk", list(PLANS), indirect=True)
def test_one_waits_for_15_seconds_of_a_walk_at_most(walk: Walk) -> None:
    beats, pace = 0, SPEEDS[walk.plan.speed]
    for choice in [None] if walk.plan.choice is None else [*walk.plan.choice.values] * 2:
        run_with(walk, choice)
        left, units = walk.view.session.snapshot.work, pace.units
        while units is not None and left > 0:
            left, units, beats = left - units, units * pace.growth, beats + 1
    assert beats * TICK_SECONDS <= 15


def test_looking_back_is_done_where_the_moment_shows_what_is_asked_for_and_no_earlier() -> None:
    done, over = looked_back_to(lambda moment, end: moment >= end / 2), State.ENDED
    assert [at for at in range(9) if done(Seen(over, moments=range(9), at=at))] == [4, 5]
    assert not done(Seen(over, moments=range(9)))


@pytest.mark.parametrize("plan", PLANS.values(), ids=list(PLANS))
def test_a_step_that_looks_back_waits_for_the_end_of_a_run_and_says_how_there_is_one(plan: Plan) -> None:
    models = [SimpleNamespace(model=k, objective=k) for k in (2, 1)]
    moments = [SimpleNamespace(incumbent=model, lower_bound=1.0) for model in models]
    for each in plan.steps:
        if "slider" in each.do:
            assert "press Run if there is none" in each.do
            stands = [each.done(Seen(state, moments=moments, at=0)) for state in (State.PAUSED, State.ENDED)]
            assert stands == [False, "last better" not in each.do], "the last better list is at the other moment"
            assert each.done(Seen(State.ENDED, moments=moments, at=1)) is ("strata" not in each.do)


@pytest.mark.parametrize("plan", PLANS.values(), ids=list(PLANS))
def test_texts_are_two_sentences_in_words_that_are_explained(plan: Plan) -> None:
    for each in plan.steps:
        assert len(re.findall(r"[.;?](?: |$)", re.sub(r"[;]", "", each.text))) == 2, each.text
        assert each.question.endswith("?")
        for term in re.findall(r'data-term="(.*?)"', as_html(each.text, plan.family)):
            assert by_slug(term) is not None, each.text
    assert any("[[" in each.text for each in plan.steps)
    assert plan.family in FAMILIES
    assert rl.datasets.names()[plan.data] == "embedded"


@pytest.mark.parametrize("walk", ["branch and bound", "what fairness costs"], indirect=True)
def test_only_the_part_that_a_step_speaks_of_is_outlined(walk: Walk) -> None:
    parts = {each.look_at: walk.view.part(each.look_at) for each in walk.plan.steps}
    for k, each in enumerate(walk.plan.steps, 1):
        walk.step = k
        lit = {name for name, part in parts.items() if part is not None and "rl-lit" in part.css_classes}
        assert lit == {name for name, part in parts.items() if part is parts[each.look_at]}
        assert each.look_at in lit
    model = walk.view.part("model")
    assert {name for name, part in parts.items() if part is model} <= {"model"}, "a plot under it has a box of its own"


def test_a_walk_has_a_name_and_its_words_are_escaped() -> None:
    with pytest.raises(ValueError, match="there are branch and bound, equal rows"):
        Walk("nowhere")
    made = rl.views.Walk("Branch-and-Bound")
    assert made.plan.name == "branch and bound"
    with pytest.raises(ValueError, match="step"):
        made.step = 99
    made.close()
    html = as_html("a <b> [[lower bound]] & [[words|gap]]")
    assert html.startswith("a &lt;b&gt; <button")
    assert html.count("data-term=") == 2
    assert ">words</button>" in html


def test_progress_from_anywhere_is_read_with_care_and_what_is_sound_is_kept() -> None:
    for text in ("", "{", "[1]", '{"branch and bound": 3}', '{"nowhere": [1]}', "[" * 5000, "x" * 20_000):
        assert all(not steps for steps in read_progress(text).values())
    text = json.dumps({"branch and bound": [2, 99, "1", None, 1], "equal rows": [3]})
    assert read_progress(text) == {"branch and bound": [1, 2], "equal rows": [3]}


def test_after_a_walk_comes_the_next_one() -> None:
    view = LearnView()
    for name in PLANS:
        view.param.update(walk=name, step=len(PLANS[name].steps))
        following = button(view, "Next walk")
        assert not following.disabled
        following.clicks += 1
        assert (view.walk, view.step) == ([*WALKS, *WALKS][[*WALKS].index(name) + 1], 1)
    view.walk = ""
    assert all(f"<kbd>{key}</kbd>" in script_html() for key, _ in KEYS)
    view.walk = SCRIPT
    assert view.opened is None


def buttons(view: LearnView) -> list[pn.widgets.Button]:
    return list(view.__panel__().select(pn.widgets.Button))


def test_progress_goes_to_the_browser_and_comes_back() -> None:
    view = LearnView()
    view.walk = "equal rows"
    assert view.opened is not None
    view.opened.done = [1]
    assert json.loads(view.kept.kept) == {"equal rows": [1]}
    other = LearnView()
    pressed = buttons(other)
    other.kept.found = view.kept.kept
    assert buttons(other) == pressed, "what one is about to press in stays"
    assert [button.label for button in pressed if button.description == "Equal rows"] == ["Go on"]
    next(each for each in pressed if each.description == "Equal rows").clicks += 1
    assert other.step == 2
    assert other.opened is not None
    assert other.opened.done == [1]
    for each in (view, other):
        each.walk = ""
        assert each.opened is None


def test_questions_are_marked_at_once_and_only_first_answers_count() -> None:
    walk = Walk("branch and bound")
    shown = pn.panel(walk)
    radios, said = shown.select(pn.widgets.RadioBoxGroup)[0], walk.plan.steps[0]
    right, *wrong = said.choices
    assert radios.value is None, "nothing is answered for anybody"
    assert {*radios.options} == {*said.choices}
    radios.value = wrong[0]
    assert walk.score == (0, 1)
    radios.value = right
    assert walk.score == (0, 1)
    assert walk.answers == {1: [wrong[0], right]}
    assert any("<b>Right.</b> Every list can be built" in str(each.object) for each in shown.select(Html))
    walk.step = 2
    assert radios.value is None
    radios.value = walk.plan.steps[1].choices[0]
    assert walk.score == (1, 2)
    assert any("1 of 2 answered right at once" in str(each.object) for each in shown.select(Html))
    walk.step = 1
    assert radios.value == right, "what was answered is seen again"
    walk.close()


def test_the_right_answer_has_no_place_of_its_own() -> None:
    steps = [step for each in PLANS.values() for step in each.steps]
    assert {step.offered.index(step.choices[0]) for step in steps} >= {0, 1, 2}
    assert all(len({*step.choices}) == len(step.choices) > 1 for step in steps)


# the walk over twelve rows: what it says of every list is what the library and brute force say ------------------------
def test_a_list_costs_what_the_library_says_and_no_list_is_below_its_prefixes() -> None:
    twelve, known = problem(), prefixes()
    facts = np.array([[each == "1" for each in looks] for looks, _ in PEOPLE])
    ends = np.array([end == "defaults" for _, end in PEOPLE])
    assert len(known) == sum(1 for k in range(5) for _ in permutations(FACTS, k)) == known[""]["lists"]
    for name, found in known.items():
        chosen = [FACTS.index(fact) for fact in name.split(",") if fact]
        model = rl.RuleList.from_problem(twelve, chosen)
        errors = int((model.predict(facts) != ends).sum())
        assert found["cost"] == errors + PRICE * len(chosen)
        after = [known[each]["cost"] for each in known if f"{each},".startswith(f"{name}," if name else "")]
        assert len(after) == found["lists"]
        assert found["bound"] <= min(after)
        assert found["bound"] == found["wrong"] + found["price"] + found["alike"]


def test_what_is_asked_has_an_answer() -> None:
    known, best = prefixes(), min(found["cost"] for found in prefixes().values())
    asked = [(step["asked"], known[step["prefix"]].get(step["asked"])) for step in STEPS]
    assert [number for _, number in asked if number is not None] == [5, 1.5, 2.5, 3.5, 16]
    assert [what for what, number in asked if number is None] == ["first", "better"]
    assert [fact for fact in FACTS if known[fact]["bound"] < best] == ["owns"], "one first rule has to be followed"


def test_the_least_cost_is_proven_and_the_proof_is_checked() -> None:
    best = min(found["cost"] for found in prefixes().values())
    assert checked() == f"optimal: no list of these facts costs less than {best:g}"


# the files of the walks: what is not written as it is read is refused, with its file and line -------------------------
WALK = Path(__file__).with_name("walk.md").read_text(encoding="utf-8")
SETTINGS = {"family": "rule_list", "data": "diabetes", "parameters": {}, "speed": "full speed"}


def planned(folder: Path, text: str) -> Plan:
    path = folder / "walk.md"
    path.write_text(text, encoding="utf-8")
    never, made = Step(lambda seen: False), Step(lambda seen: True, lambda seen: {"n": "7"}, chooses=True)
    return plan(str(path), [never, made], **SETTINGS)


def test_a_walk_is_texts_of_a_file_and_what_python_knows(tmp_path: Path) -> None:
    found = planned(tmp_path, WALK)
    assert (found.name, found.about, found.family) == ("two steps", "How it goes.", "rule_list")
    first, second = found.steps
    assert (first.text, first.look_at) == ("What there is to see.", "status")
    assert (first.do, first.question, first.answer, first.chooses) == ("Press Step.", "Why?", "Because.", False)
    assert first.choices == ("it must", "it may")
    assert (second.look_at, second.chooses) == ("prefixes cut, by bound", True)
    assert second.answer.format(**second.figures(Seen())) == "They are 7."


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("# two steps\n\n", ""), 1, "a file begins with '# '"),
        (("How it goes.\n\n", ""), 1, "'two steps' needs the paragraphs sentence"),
        (("**Answer:** Because.\n\n", ""), 5, "needs the paragraphs text, Do, Question, Choices, Answer"),
        (("**Choices:** it must / it may\n\n", ""), 5, "needs the paragraphs text, Do, Question, Choices, Answer"),
        (("**Do:** Press Run.", "Press Run."), 18, "needs the paragraphs text, Do, Question"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(tmp_path: Path, change: tuple[str, str], line: int, message: str):
    with pytest.raises(ProseError, match=re.escape(f"walk.md, line {line}: ") + ".*" + re.escape(message)):
        planned(tmp_path, WALK.replace(*change))
