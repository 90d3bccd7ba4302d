"""Falling rule lists and rule sets on the Search tab, in a real browser."""

import json
import re
from pathlib import Path

import pytest
from figures import each_plot_is_clear

pytestmark = pytest.mark.ui

POOLED = {
    "Pool": "Rules in the pool",
    "Prices": "Prices of the rows",
    "Reduced cost": "Least reduced cost of all rules",
    "Models": "Errors of the incumbents",
}
"""Plots of column generation, behind their tabs."""
FAIR = "?family=rule_set&data=diabetes&thresholds=3&fairness=equal_opportunity&tolerance=0.01"


def run(view, until: str = "certified optimal") -> None:
    view.more().page.get_by_label("Speed").select_option("full speed")
    view.run(until)


def rows(view) -> list[str]:
    return [" ".join(text.split()) for text in view.page.locator("table.rules tbody tr").all_inner_texts()]


def phone_is_fine(view) -> None:
    """On a phone one scrolls down only, and every control is named."""
    view.page.set_viewport_size({"width": 390, "height": 844})
    view.until(lambda: view.page.evaluate("document.documentElement.scrollWidth") <= 390 and view.too_wide() == [])
    view.until_all_are_named("button", "combobox", "textbox", "checkbox")


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


def test_a_falling_list_is_certified(visit) -> None:
    view = visit().open("?data=breast_cancer")
    view.field("Model family").select_option("Falling rule list")
    view.until(lambda: "family=falling_rule_list" in view.page.url)
    view.page.get_by_role("heading", name="Best falling rule list so far").wait_for()
    view.field("Weight of a missed positive").fill("3")
    view.page.keyboard.press("Tab")
    view.until(lambda: "positive_weight=3" in view.page.url)
    run(view)
    assert "gap 0 " in view.status
    probabilities = [numbers(text.split(" else ")[-1])[-4] for text in rows(view)]
    assert len(probabilities) >= 3
    assert probabilities == sorted(probabilities, reverse=True)
    assert view.page.locator("canvas").count() >= 4
    file = view.export("Model (JSON)")
    saved = json.loads(Path(file.path()).read_text())
    assert (saved["family"], saved["positive_weight"]) == ("falling_rule_list", 3.0)
    phone_is_fine(view)
    assert (view.foreign(), view.console) == ([], [])


def test_a_fair_set_shows_the_rates_of_the_groups_before_and_after(visit) -> None:
    view = visit().open(FAIR)
    assert view.field("Sensitive attribute").filter(visible=True).input_value() == "sex"
    run(view)
    largest = view.page.get_by_role("row", name="largest difference").filter(visible=True)
    largest.wait_for()
    assert numbers(largest.get_by_role("cell").nth(2).inner_text())[0] <= 1.0
    view.page.get_by_text("the best model without the constraint").filter(visible=True).wait_for()
    view.page.get_by_text("groups by sex: group 1 (235), group 2 (207)").wait_for()
    phone_is_fine(view)
    for width in (390, 1024):
        view.page.set_viewport_size({"width": width, "height": 1600})
        each_plot_is_clear(view, POOLED)
    view.field("Data set").select_option("breast_cancer")
    view.page.get_by_text("These data have no sensitive attribute").filter(visible=True).wait_for()
    view.more().button("Reset").click()
    view.run("failed")
    assert (
        "breast_cancer has no sensitive attribute" in view.page.get_by_role("alert").filter(visible=True).inner_text()
    )
    assert view.console == []


def test_what_a_list_must_use_is_typed_obeyed_proven_kept_by_the_address_and_shown_where_it_is_wrong(visit) -> None:
    view = visit().open("?data=diabetes&thresholds=2&max_conditions=1&regularization=0.02&must_use=sexx")
    page = view.page
    more = page.get_by_role("button", name="Demands and details", exact=True)

    def field(label: str):
        return page.get_by_label(label, exact=True).filter(visible=True)

    view.field("Model family").wait_for()
    assert more.get_attribute("aria-expanded") == "false"
    view.run("failed")
    view.until(lambda: more.get_attribute("aria-expanded") == "true")
    page.locator(".rl-wrong p").filter(has_text="no antecedent uses 'sexx'").filter(visible=True).wait_for()
    more.click()
    assert more.get_attribute("aria-expanded") == "false", "whoever folds it has it folded"
    more.click()
    field("Must use").fill('sex, "bmi')
    field("Must use").press("Enter")
    page.get_by_text('Must use: “"bmi” is not a name, or one in double quotes').first.wait_for()
    assert field("Must use").get_attribute("aria-invalid") is not None
    field("Must use").fill("sexx <b>")
    field("Must use").press("Enter")
    view.until(lambda: "must_use=" in page.url)
    view.run("failed")
    said = page.locator(".rl-wrong p").filter(has_text="no antecedent uses 'sexx <b>'; the nearest: 'sex'")
    said.filter(visible=True).wait_for()
    field("Must use").fill("sex")
    field("Must use").press("Enter")
    view.until(lambda: field("Must use").get_attribute("aria-invalid") is None)
    run(view, "certified optimal among the lists that use sex: no such rule list")
    view.until(lambda: any("sex =" in row for row in rows(view)))
    view.check.click()
    page.get_by_text("Valid: no rule list that uses sex has an objective below").first.wait_for()
    assert phone_is_fine(view) is None
    again = visit()
    again.page.goto(page.url)
    again.button("Run").wait_for()
    again.details()
    assert again.field("Must use", exact=True).filter(visible=True).input_value() == "sex"
    run(again, "certified optimal among the lists that use sex")
    assert rows(again) == rows(view)
    assert view.console == again.console == []
