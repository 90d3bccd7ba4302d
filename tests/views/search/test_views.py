"""The view of a search without a browser: its history, texts and plots, and the view at the level of parameters."""

import io
import re
import threading
import time
from dataclasses import replace

import live
import numpy as np
import pandas as pd
import panel as pn
import pytest
from live import (
    HOSTILE,
    curves,
    export_menu,
    exported,
    finish,
    gap_figure,
    long_search,
    model_html,
    paused,
    problem,
    send,
    status,
)
from patience import wait_until

import rulelab as rl
from rulelab.views.alternatives.hand import editable
from rulelab.views.alternatives.parts import PersonForm
from rulelab.views.alternatives.person import one_person
from rulelab.views.cards import html as card_html
from rulelab.views.cards.scores import doubt_list, fairness_notes, incumbent_card, on_test_rows
from rulelab.views.live import wording as words
from rulelab.views.live.prepared import Prepared
from rulelab.views.live.state import NOTHING_SEEN, History, State
from rulelab.views.search.plots.curves import curve_columns, tree_begins
from rulelab.views.search.setup import Setup
from rulelab.views.search.view import SearchView
from rulelab.views.widgets.esc import esc, plain
from rulelab.views.widgets.html import Press


def snapshots(n: int) -> list[rl.results.Snapshot]:
    return list(rl.steps(long_search(), work_per_step=1, work_limit=n))[-n:]  # the first call only prepares


def test_history_stays_small_and_keeps_what_matters() -> None:
    history, all_of_them = History(limit=50), snapshots(400)
    for snapshot in all_of_them:
        history.append(snapshot)
        assert len(history) <= 50
    kept, _, whole = history.since(NOTHING_SEEN)
    objectives = {s.incumbent.objective for s in all_of_them if s.incumbent}
    assert whole
    assert {s.incumbent.objective for s in kept if s.incumbent} == objectives
    assert kept[-1] is all_of_them[-1]
    assert [s.work for s in kept] == sorted(s.work for s in kept)
    frame = history.frame()
    assert frame["work"].tolist() == [s.work for s in kept]
    assert {"seconds", "objective", "lower_bound", "expanded", "pruned lookahead"} <= set(frame.columns)
    for snapshot in all_of_them[::10]:
        columns = curve_columns([snapshot])
        total = sum(values[0] for name, values in columns.items() if name.startswith("length_"))
        assert total == sum(snapshot.queue_by_length[1:])


def test_the_card_says_captured_correct_and_probability_per_rule_and_has_room_for_its_classes() -> None:
    best = rl.solve(live.small_search()).incumbent
    html = incumbent_card(best)
    every = (*best.model.rules, best.model.default)
    assert html.count("<tr>") == len(every) + 1
    for rule in every:
        assert f">{rule.probability:.2f}<" in html
        assert (
            f'<td class="num">{words.count(rule.captured)}</td><td class="num">{words.count(rule.correct)}</td>' in html
        )
    assert '<td class="label" style="--longest:9">malignant</td>' in incumbent_card(best, ("malignant", "no"))
    assert "--longest:13" in incumbent_card(best, ("x" * 30, "no"))
    assert "P(<wbr>two_<wbr>years)" in incumbent_card(best, ("no", "two_years"))


def test_texts_are_escaped_short_and_written_in_one_way() -> None:
    assert esc(HOSTILE) == "&lt;img src=x onerror=alert(1)&gt;"
    assert esc("a\"b'c") == "a&quot;b&#x27;c"
    assert plain("a\nb\x00c\u202ed") == "a b c d"
    assert len(esc("x" * 10_000)) == 200
    assert words.in_signs("age <= 36 and sex == f and not x and y != 2") == "age ≤ 36 and sex = f and not x and y ≠ 2"
    assert words.in_signs("a<=b") == "a<=b"
    assert [words.count(each) for each in (1234567, 12.0, 0.125)] == ["1\u202f234\u202f567", "12", "0.125"]
    said = words.grouped("0.3388 = 2336 errors / 7214 rows + 0.0125 x 3 rules; 1 481 704 of 12345.5, col_2020, 999")
    assert said == (
        "0.3388 = 2\u202f336 errors / 7\u202f214 rows + 0.0125 x 3 rules; 1\u202f481\u202f704 of 12345.5, col_2020, 999"
    )


def test_a_fair_model_of_little_use_is_said_to_be_one_with_its_price() -> None:
    rng = np.random.default_rng(1)
    group, A = rng.random(400) < 0.5, rng.random((400, 3)) < 0.5
    y = (A[:, 0] & group) ^ (rng.random(400) < 0.05)
    search = rl.search(
        rl.Problem.from_arrays(A, y, groups=np.where(group, HOSTILE, "b")),
        regularization=0.05,
        fairness=rl.EqualOpportunity(0.01),
    )
    without = rl.RuleListSearch(search.problem, regularization=0.05)
    latest, free = rl.solve(search), rl.solve(without)
    said = fairness_notes(latest, free)
    emptied = latest.detail["emptied"].replace(": ", ", ")
    assert emptied in doubt_list(Prepared(search).known(latest.incumbent.model, latest))
    assert "On the training rows the constraint costs" in said
    small = fairness_notes(replace(latest, detail={"left_out": f"left out: {HOSTILE}"}), None)
    assert "Groups are left out: &lt;img" in small
    assert fairness_notes(free, None) == ""
    only = doubt_list(Prepared(without).known(free.incumbent.model, free))
    assert "equal because" not in only
    assert "The best list says the same of everybody" in only


@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_wrong_on_test_rows_stands_under_the_training_rows(weighted: bool) -> None:
    whole = rl.datasets.load("tic_tac_toe")
    weight = np.where(np.arange(len(whole.y)) % 8 == 0, 0.5, 3.0) if weighted else np.ones(len(whole.y))
    data = replace(whole, weight=pd.Series(weight, index=whole.y.index)) if weighted else whole
    test = np.arange(0, len(data.y), 4)
    train = np.setdiff1d(np.arange(len(data.y)), test)
    antecedents = rl.mine_antecedents(rl.Binarizer().fit_transform(data.X.iloc[train]), max_conditions=1)
    y = data.y.to_numpy()
    search = rl.RuleListSearch(
        rl.Problem.from_antecedents(antecedents, y[train], sample_weight=weight[train]), regularization=0.01
    )
    latest = rl.solve(search, time_limit=1)
    model = latest.incumbent.model
    wrong = model.predict(data.X) != y
    share = float(np.average(wrong[test], weights=weight[test]))
    said = on_test_rows(Prepared(search, data=data, test_rows=test).known(model, latest))
    found = re.search(rf"Of {len(test)} test rows {100 * share:.1f} \(([\d.]+)–([\d.]+)\)&nbsp;% are wrong", said)
    assert float(found[1]) < 100 * share < float(found[2])
    assert on_test_rows(Prepared(search, data=data).known(model, latest)) == ""


@pytest.fixture
def view(show) -> SearchView:
    return show()


def test_a_search_is_shown_to_its_certificate_and_exports_are_the_model_the_rules_and_the_trace(view) -> None:
    account = view.certificate.account
    assert "Best rule list so far" in model_html(view)
    assert "The search looks for" in account.object
    finish(view)
    assert "The optimal rule list" in model_html(view)
    assert " = " in model_html(view)
    assert "lists of at most" in account.object
    assert (status(view).tone, dict(status(view).figures)["gap"]) == ("proven", "0")
    assert "certified optimal" in status(view).phase
    assert curves(view)["lower_bound"][-1] == curves(view)["objective"][-1]
    assert view.best.actions in view.part("model").objects
    assert view.best.actions.visible
    assert view.part("status") in view.part("certificate").objects
    model = view.session.snapshot.incumbent.model
    assert type(model).from_json(exported(view, "Model (JSON)").decode()) == model
    assert "then" in exported(view, "Rules (text)").decode()
    assert pd.read_csv(io.BytesIO(exported(view, "Trace (CSV)")))["status"].iloc[-1] == "optimal"
    work = view.session.snapshot.work
    view.axis = "work"
    assert gap_figure(view).x_range.start < 0 < work < gap_figure(view).x_range.end
    assert {glyph.x for plot in view.plots.plots for glyph in plot.over_time} == {"work"}
    view.reset()
    assert view.session.snapshot is None
    assert curves(view)["work"] == []
    assert "<table" not in model_html(view)
    assert "Best rule list so far" in model_html(view)
    assert "The search looks for" in account.object
    finish(view)
    assert view.session.snapshot.work == work
    before = view.session
    view.run()
    assert view.session is not before, "after the end it is a new run"


def test_a_proof_is_checked_within_its_certificate_and_a_new_run_forgets_the_answer(view) -> None:
    check, box = view.certificate.check, view.part("certificate")

    def said() -> str:
        return " ".join(each.object for each in box.select(pn.pane.HTML) if each.visible)

    assert check.button in box.objects
    assert not check.button.visible
    assert "looks for the rule list with the fewest errors" in said()
    paused(view)
    assert not check.button.visible
    assert "Once the model is proven optimal" in said()
    finish(view)
    assert check.button.visible
    assert check.button.label == "Check the proof"
    assert "simpler program goes through the proof" in said()
    assert "prefixes were made" in said()
    check.press()
    assert check.button.label == "Cancel"
    wait_until(lambda: not check.refresh())
    assert check.line.tone == "proven"
    assert check.line.phase.startswith("Valid: no rule list")
    assert "simpler program" not in said(), "the answer stands in its place"
    check.press()
    view.run()
    assert not check.busy
    assert (check.line.phase, check.button.visible) == ("", False)
    wait_until(lambda: view.session.state.over)
    view.refresh()
    assert check.button.label == "Check the proof"
    view.reset()
    paused(view).stop()
    wait_until(lambda: view.session.state.over)
    view.refresh()
    assert "No proof to check: the search has not proven this model optimal." in said()
    assert "Proof" not in export_menu(view)[1]


@pytest.mark.long
def test_the_menu_of_exports_has_the_proof_and_the_report_of_the_answer(view, tmp_path) -> None:
    finish(view)
    export, files = export_menu(view)
    (tmp_path / "proof.npz").write_bytes(exported(view, "Proof"))
    certificate = rl.Certificate.load(tmp_path / "proof.npz")
    search, best = view.session.search, view.session.snapshot.incumbent
    assert rl.verify(search.problem, best.model, certificate)
    assert f"{best.objective:.4f}" in exported(view, "Report (HTML)").decode()
    assert "CASE" in exported(view, "SQL (DuckDB)").decode()
    assert files["Proof"].visible
    assert rl.Recording.from_bytes(exported(view, "Recording")).snapshots
    export.clicks += 1
    assert live.button(view, "Proof") is None, "pressed again it is closed"


def test_a_model_is_edited_once_its_search_has_ended_and_one_person_is_sent_through_it(view) -> None:
    taken: list[tuple[object, ...]] = []

    def edit() -> bool:
        return any(each.label == "Edit" and each.visible for each in view.part("model").select(pn.widgets.Button))

    view.param.update(on_edit=lambda *what: taken.append(what), editable=lambda search: False)
    paused(view)
    assert not edit()
    view.edit()
    assert taken == []
    finish(view)
    assert not edit(), "its models cannot be edited"
    assert "No Edit and no One person: they are for rule lists" in view.best.lacking.object
    view.param.update(editable=lambda search: search is view.session.search, on_edit=view.on_edit)
    view.refresh()
    assert (edit(), view.best.lacking.object) == (True, "")
    view.edit()
    assert taken == [(view.session.prepared, view.session.snapshot, view.session.snapshot.incumbent.model)]

    def shown() -> str:
        return " ".join(str(each.object) for each in view.part("model").select(pn.pane.HTML))

    before = shown()
    view.ask()
    assert shown() == before, "nobody is asked about where there is no form for it"
    view.param.update(on_person=one_person, editable=editable)
    view.refresh()
    view.ask()
    model = view.session.snapshot.incumbent.model
    assert re.search(rf"<b>(Rule [1-{len(model.rules)}] decides:|No rule holds, and the default says)", shown())
    assert view.part("model").select(PersonForm)[0].fields, "the columns that its rules test"
    view.ask()
    assert shown() == before, "pressed again it is taken away"
    view.ask()
    view.reset()
    assert not view.part("model").select(PersonForm), "with its model"


def test_of_the_model_of_a_stopped_run_as_much_is_said_as_at_a_limit(view) -> None:
    paused(view)
    assert "Before you trust this" not in model_html(view)
    view.stop()
    wait_until(lambda: not view.tick())
    assert view.session.snapshot.status is rl.Status.RUNNING, "its last moment"
    assert "Before you trust this" in model_html(view)


def test_the_menu_more_is_folded_by_escape_or_a_press_elsewhere_and_by_run(view) -> None:
    buttons = {each.label: each for each in view.part("controls").select(Press)}
    (menu,) = (each for each in view.part("controls").select(pn.Column) if "rl-menu" in each.css_classes)
    for folds in ("fold", "press"):
        send(buttons["More"], "press")
        assert menu.visible
        assert buttons["More"].unfolded
        send(buttons["More"], folds)
        assert not menu.visible
    send(buttons["More"], "fold")
    assert not menu.visible, "it is folded already"
    send(buttons["More"], "press")
    send(buttons["Run"], "press")
    assert not menu.visible


def test_the_axis_begins_where_the_tree_does_also_where_all_before_it_is_in_the_first_moment() -> None:
    first, *others = snapshots(3)
    assert tree_begins([first, *others]) is None, "nothing comes before it"
    moments = [replace(each, work=each.work + 1000) for each in (first, *others)]
    assert curve_columns(moments, tree_begins(moments))["log_work"][0] == 0


def test_an_error_is_shown_and_the_next_run_works(show) -> None:
    setup = Setup()
    view = show(new_session=setup.new_session)
    setup.settings.min_support = 0.98
    finish(view)
    assert "“Least support”" in live.alert(view).phase
    assert status(view).tone == "failed"
    setup.choose(data="tic_tac_toe", regularization=0.02, min_support=0.01)
    finish(view)
    assert (live.alert(view).phase, status(view).tone) == ("", "proven")


def test_a_press_in_another_thread_during_a_beat_is_shown(by_hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in JupyterLab, which hands presses over in a thread of their own."""
    view = SearchView(long_search())

    def rests_after(steps: int) -> bool:
        return view.session.state is State.PAUSED and view.session.snapshot.step == steps

    for steps in (1, 2):
        view.step()
        wait_until(lambda steps=steps: rests_after(steps))
        while steps == 1 and by_hand.beat():
            pass
    press = threading.Thread(target=view.step)
    advance, show = view.session.search.advance, view.certificate.tell

    def slowly(work: int) -> rl.results.Snapshot:
        time.sleep(0.3)
        return advance(work)

    def show_after_a_press(now) -> None:
        if press.ident is None:
            press.start()
            press.join(0.1)
        show(now)
        if not press.is_alive():
            wait_until(lambda: rests_after(3))

    monkeypatch.setattr(view.session.search, "advance", slowly)
    monkeypatch.setattr(view.certificate, "tell", show_after_a_press)
    by_hand.beat()
    press.join()
    wait_until(lambda: rests_after(3) and not view.session.unseen)
    for _ in range(10):
        by_hand.beat()
    assert not by_hand.going
    assert dict(view.part("counts").figures)["expanded"] == "3"
    view.close()


def test_a_model_that_says_the_same_of_everybody_is_not_celebrated() -> None:
    for price, tone in ((0.01, "proven"), (0.4, "idle")):
        view = finish(SearchView(rl.RuleListSearch(problem(), regularization=price)))
        shown = status(view)
        assert (view.snapshot.status, shown.tone) == (rl.Status.OPTIMAL, tone)
        said = "the best list says the same of everybody; certified optimal"
        assert shown.phase.startswith(said) is (tone == "idle")
        head = card_html.head(view.best.model_card())
        assert ("state proven" in head) is (tone == "proven")
        assert ("It says the same of everybody. Proven optimal" in head) is (tone == "idle")
        view.close()
