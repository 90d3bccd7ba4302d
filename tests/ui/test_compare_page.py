"""The Compare tab in a real browser."""

import json
import re
from pathlib import Path

import pytest
from visits import Visit, script, workers
from words import broken_words, words_are_clear

import rulelab as rl
from rulelab.views.cards.card import of_search, prepared_of
from rulelab.views.cards.report import report
from rulelab.views.cards.scores import of_card

pytestmark = pytest.mark.ui

QUICK = "?data=tic_tac_toe&regularization=0.02&test_share=0.25"
HOSTILE = "<img src=x onerror=alert(1)>"


def pin(view: Visit, regularization: float | None = None) -> None:
    """Run the search, anew with another regularization when one is given, and pin its model."""
    if regularization is not None:
        view.field("Regularization").fill(str(regularization))
        view.page.keyboard.press("Tab")
        view.page.get_by_text("settings have changed").wait_for()
        view.reset()
    view.more().page.get_by_label("Speed").select_option("full speed")
    view.run()
    view.keep.click()
    view.page.get_by_text(re.compile("pinned as [A-P]", re.IGNORECASE)).wait_for()


def compare(view: Visit) -> None:
    view.page.get_by_role("tab", name="Compare").click()
    view.button("Fill the front").wait_for()


def download(view: Visit, name: str, nth: int = 0) -> str:
    link = view.page.get_by_role("link", name=name).or_(view.button(name)).nth(nth)
    with view.page.expect_download() as info:
        link.click()
    return Path(info.value.path()).read_text()


def upload(view: Visit, name: str, contents: str) -> None:
    file = {"name": name, "mimeType": "application/json", "buffer": contents.encode()}
    panel = view.page.get_by_role("tabpanel", name="Compare")
    with view.page.expect_file_chooser() as chooser:
        panel.locator('input[type=file][accept=".json"]').locator("xpath=..").click()  # the button around it
    chooser.value.set_files(file)


def cards(view: Visit) -> int:
    return view.page.locator(".rl-model h2").count()


def saved(name: str = "a") -> str:
    """A small saved model whose names are hostile."""
    problem = rl.Problem.from_arrays([[1], [1], [0], [0]], [1, 1, 0, 0], names=[name])
    return rl.RuleList.from_problem(problem, [0]).to_json()


def test_two_models_are_compared_checked_and_exported_and_a_check_ends_with_its_page(visit) -> None:
    view = visit().open(QUICK)
    pin(view)
    pin(view, 0.05)
    compare(view)
    view.until(lambda: cards(view) == 2)
    view.until(lambda: "tab=Compare" in view.page.url)
    rows = view.page.locator(".differs")
    view.until(lambda: rows.count() >= 2)
    marked = " ".join(rows.all_inner_texts())
    assert "regularization: cost of a rule differs" in " ".join(marked.split())
    assert "not in A" in marked or "not in B" in marked
    assert "policy" not in marked
    figures = " ".join(view.page.get_by_role("table", name="Figures").first.inner_text().split())
    assert "training test objective share of rows" in figures

    view.check.first.click()
    view.page.get_by_text(re.compile("^Checking|^Valid")).first.wait_for()
    view.page.get_by_role("textbox", name="Intended use").first.fill("for teaching")
    view.page.keyboard.press("Tab")
    view.page.get_by_text(re.compile("Valid: no rule list")).wait_for()

    view.button("Fit baselines").click()
    models = view.page.get_by_role("region", name="Models")
    models.get_by_text("Logistic regression", exact=True).first.wait_for()
    text = " ".join(models.inner_text().split())
    assert all(name in text for name in ("A rule list", "B rule list", "CART"))

    for nth in range(2):
        view.page.get_by_role("button", name="Export", exact=True).nth(nth).click()
    model = json.loads(download(view, "Model (JSON)"))
    assert (model["family"], model["card"]["intended_use"]) == ("rule_list", "for teaching")
    assert "rl.RuleListSearch" in download(view, "Python script", 1)
    view.button("Export all").click()
    report = download(view, "Report (HTML)")
    assert "for teaching" in report
    assert "Independent check: valid" in report
    assert (view.foreign(), view.console) == ([], [])
    view.check.last.click()
    view.page.get_by_text(re.compile("^Checking")).first.wait_for()
    assert workers()
    view.page.close()  # and with it its check, as `visit` sees


def opens_offline(view: Visit, path: Path) -> None:
    """The report of the cards is whole without any server, and shows their names as text."""
    view.button("Export all").click()
    path.write_text(download(view, "Report (HTML)"))
    elsewhere = view.page.context.browser.new_context(offline=True)
    page = elsewhere.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: view.dismiss(dialog))
    page.goto(path.as_uri())
    assert HOSTILE in page.locator("table.rules").inner_text()
    for width in (1360, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    elsewhere.close()
    assert asked == [path.as_uri()]


@pytest.mark.filterwarnings("error:reference already known")
def test_uploads_are_pinned_or_explained_and_their_report_opens_offline(visit, tmp_path) -> None:
    view = visit().open(QUICK)
    compare(view)
    alert = view.page.get_by_role("alert").filter(visible=True)
    upload(view, f"{HOSTILE}.json", json.dumps({"format": "rulelab model", "schema_version": 1, "family": HOSTILE}))
    view.until(lambda: alert.count() == 1 and "unknown family" in alert.inner_text())
    assert HOSTILE in alert.inner_text()
    upload(view, "broken.json", "{")
    view.until(lambda: "JSON" in alert.inner_text())
    assert cards(view) == 0
    notes = {"title": HOSTILE, "intended_use": HOSTILE, "data": {HOSTILE: HOSTILE}, "parameters": {"a": "<b>x</b>"}}
    upload(view, "good.json", json.dumps({**json.loads(saved(HOSTILE)), "card": notes}))
    view.until(lambda: cards(view) == 1 and alert.count() == 0)
    assert HOSTILE in view.page.locator(".rl-model table.rules").inner_text()
    assert view.page.locator("img[src=x]").count() == 0
    opens_offline(view, tmp_path / "report.html")
    assert view.check.filter(visible=True).count() == 0, "the file holds nothing to check"
    view.button("Remove").click()
    view.until(lambda: cards(view) == 0)
    assert (view.dialogs, view.foreign()) == ([], [])


def test_pinned_models_come_back_when_the_page_is_loaded_again(visit) -> None:
    view = visit().open(QUICK)
    pin(view)
    compare(view)
    view.until(lambda: cards(view) == 1)
    view.page.get_by_role("textbox", name="Intended use").fill("for teaching")
    view.page.keyboard.press("Tab")
    upload(view, "b.json", saved())
    view.until(lambda: cards(view) == 2)
    view.until(lambda: "for teaching" in view.page.evaluate("sessionStorage.getItem('rulelab') ?? ''"))
    figures = view.page.get_by_role("table", name="Figures")
    view.until(lambda: "no test rows" not in figures.first.inner_text())
    against, only = view.page.get_by_label("Differences to"), view.page.get_by_label("Only what differs")
    against.select_option(index=1)
    only.check()
    view.until(lambda: "against=B" in view.page.url and "only=true" in view.page.url)
    before = figures.all_inner_texts()

    view.page.reload()
    view.until(lambda: cards(view) == 2)
    view.until(lambda: figures.all_inner_texts() == before)
    assert against.locator("option:checked").inner_text().startswith("B ")
    assert only.is_checked()
    view.page.get_by_text("From before the page was loaded again").first.wait_for()
    assert view.page.get_by_role("textbox", name="Intended use").first.input_value() == "for teaching"
    view.page.get_by_text("run it, and pin its model").first.wait_for()
    assert view.check.filter(visible=True).count() == 0
    for left in (1, 0):
        view.button("Remove").first.click()
        view.until(lambda left=left: cards(view) == left)
    view.until(lambda: view.page.evaluate("sessionStorage.getItem('rulelab')") is None)

    hostile = json.dumps([{"model": {"format": "rulelab model", "schema_version": 1, "family": HOSTILE}}])
    view.page.evaluate("text => sessionStorage.setItem('rulelab', text)", hostile)
    view.page.reload()
    alert = view.page.get_by_role("alert").filter(visible=True)
    view.until(lambda: alert.count() == 1 and HOSTILE in alert.inner_text())
    assert (cards(view), view.dialogs, view.foreign()) == (0, [], [])
    assert view.console == []


def test_the_search_goes_on_while_another_tab_is_open(visit) -> None:
    view = visit().open("?data=breast_cancer&thresholds=10&regularization=0.001")
    view.button("Run").click()
    view.until(lambda: view.page.locator("table.rules").count() == 1)
    view.keep.click()
    view.until_status("branch and bound")
    before = view.expanded
    compare(view)
    view.until(lambda: cards(view) == 1)
    view.page.get_by_text("Not proven optimal").wait_for()
    view.page.get_by_role("tab", name="Search").click()
    view.page.get_by_role("status", name="Status").wait_for()
    view.until(lambda: "expanded" in view.counts and view.expanded > before)
    view.page.wait_for_timeout(500)
    assert view.page.locator("canvas").count() >= 4
    assert view.console == []


ONE_HEIGHT = script("one_height")


def test_lines_stand_on_one_height_no_word_is_broken_and_only_the_cards_scroll_sideways(visit) -> None:
    view = visit(1024, 900).open("?data=compas&regularization=0.02&max_conditions=1&test_share=0.25")
    pin(view)
    compare(view)
    for k in range(5):
        upload(view, "c.json", saved(f"a long name {'of an antecedent ' * 9}"))
        view.until(lambda k=k: cards(view) == k + 2)
        if k == 1:  # three cards share the width
            view.until(lambda: view.page.get_by_text("African-American").filter(visible=True).count() > 0)
            words, broken = broken_words(view.page, "table.groups", r"\w{2,}")
            assert words > 5
            assert broken == []
            assert view.too_wide() == []
    for width, height in ((1440, 900), (1024, 768), (390, 844)):
        view.page.set_viewport_size({"width": width, "height": height})
        view.page.wait_for_timeout(500)
        view.until(lambda: level(view))
        view.until(lambda width=width: view.page.evaluate("document.documentElement.scrollWidth") <= width)
        view.page.set_viewport_size({"width": width, "height": 2400})
        words_are_clear(view.page)


def level(view) -> bool:
    """Whether what all six cards speak of stands on one height, once the page has come to rest."""
    places = [dict(map(tuple, own)) for own in view.page.evaluate(ONE_HEIGHT)]
    assert len(places) == 6
    shared = set(places[0]).intersection(*places[1:])
    assert {"accuracy %", "AUC", "rows by outcome", "training rows", "regularization: cost of a rule"} <= shared
    return all(own[name] == places[0][name] for own in places for name in shared)


def test_cards_are_renamed_by_keyboard_and_sorted_and_taken_away_by_the_table(visit) -> None:
    view = visit(1280, 720).open(QUICK)
    page = view.page
    compare(view)
    for k in range(2):
        upload(view, "model.json", saved())
        view.until(lambda k=k: cards(view) == k + 1)
    name = page.get_by_role("textbox", name="Name").first
    assert name.get_attribute("placeholder")
    name.focus()
    page.keyboard.type(f"two {HOSTILE}")
    page.keyboard.press("Enter")
    headings = page.locator(".rl-model h2")
    view.until(lambda: headings.first.text_content() == f"A two {HOSTILE}")
    rows = page.get_by_role("region", name="Models").locator("tbody tr")

    def names() -> list[str]:
        return rows.locator(".title").all_inner_texts()

    view.until(lambda: len(names()) == 2 and names()[0].split() == ["A", *f"two {HOSTILE}".split()])
    head = page.get_by_role("columnheader", name="Model")
    head.get_by_role("button").click()
    view.until(lambda: head.get_attribute("aria-sort") == "ascending" and "two" in names()[1])
    head.get_by_role("button").press("Enter")
    view.until(lambda: head.get_attribute("aria-sort") == "descending" and "two" in names()[0])
    page.get_by_role("checkbox", name=re.compile("^Card of two")).uncheck()
    view.until(lambda: cards(view) == 1 and rows.count() == 1)
    assert (view.too_wide(), view.dialogs, view.console) == ([], [], [])


def test_an_address_opens_its_tab_a_phone_shows_the_card_and_the_keyboard_reaches_it(visit) -> None:
    view = visit()
    view.page.goto(view.base + "?tab=Compare")
    view.button("Fill the front").wait_for()
    upload(view, "a.json", saved())
    view.until(lambda: cards(view) == 1)
    view.page.set_viewport_size({"width": 390, "height": 844})
    card = view.page.locator(".rl-model")
    view.until(lambda: 0 <= (box := card.bounding_box())["x"] <= 390 - box["width"] and view.too_wide() == [])
    view.until_all_are_named("button", "textbox", "tab")
    limits = view.page.get_by_label("Limits", exact=True)
    limits.fill("made of rows of one year, and of one county; " * 12)
    view.until(lambda: limits.evaluate("e => e.scrollHeight <= e.clientHeight + 1"))  # nothing of it is cut off
    view.page.set_viewport_size({"width": 1360, "height": 900})
    reached = set()
    view.page.locator("body").press("Tab")
    for _ in range(45):
        reached.add(view.focused)
        view.page.keyboard.press("Tab")
    assert reached >= {"Compare", "Remove", "Export"}


def test_a_report_checks_its_own_proofs(chromium, tmp_path) -> None:
    data, path = rl.datasets.load("tic_tac_toe"), tmp_path / "report.html"
    conditions = rl.Binarizer().fit_transform(data.X)
    problem = rl.Problem.from_antecedents(rl.mine_antecedents(conditions, max_conditions=1), data.y)
    searches = rl.RuleListSearch(problem, 0.02), rl.FallingRuleListSearch(problem, 0.02), rl.RuleSetSearch(problem, 4)
    made = [of_search(search, rl.solve(search), prepared_of(search, data)) for search in searches]
    whole = report(made, [of_card(card, lambda doing: None) for card in made])
    assert "cannot check its proof by itself" in whole
    page = chromium.new_context(offline=True).new_page()
    for html, said, nth in ((whole, "valid", 1), (whole.replace('"positives": ', '"positives": 1', 1), "refused", 0)):
        path.write_text(html, encoding="utf-8")
        page.goto(path.as_uri())
        page.get_by_text(f"Checked here, now: {said}").first.wait_for()
        page.get_by_text("Checked here, now: valid").nth(nth).wait_for()
