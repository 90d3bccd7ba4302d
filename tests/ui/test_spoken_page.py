"""What a screen reader is told on the way from the first screen to a certificate, a pinned model and a sweep."""

from itertools import pairwise
from typing import Any

import pytest
from patience import PATIENCE

pytestmark = pytest.mark.ui

QUICK = "?data=tic_tac_toe&regularization=0.02&speed=full speed"
BANNER = """
- banner:
  - link "rulelab":
    - heading "rulelab" [level=1]
  - navigation "Parts of the page":
    - tablist:
      - tab "Search" [selected]
      - tab "Alternatives"
      - tab "Compare"
      - tab "Learn"
  - button "Toggle theme"
"""
FIRST = """
- button "Run"
- button "Step"
- button "More"
- group "Question":
  - paragraph:
    - text: "On"
    - button "tic_tac_toe"
    - button "(958 rows)"
    - text: predict
    - button "class = positive"
    - text: by the
    - button "rule list"
    - text: /with the fewest errors, a rule costing/
    - button "0.02"
    - text: .
  - button "Settings"
- status "Status":
  - paragraph: "ready: press Run, or Step"
  - paragraph:
    - button "objective"
    - text: –
    - button "lower bound"
    - text: –
    - button "gap"
    - text: –
- paragraph: /The search looks for the rule list with the fewest errors/
- note: /Once the model is proven optimal, its proof can be checked here/
- heading "Best rule list so far" [level=2]:
  - button "Best rule list so far"
- paragraph: /What is found stands here/
- heading "Objective and lower bound" [level=2]:
  - button "Objective and lower bound"
- paragraph: The best objective comes down, what is proven goes up; where they meet, the model is optimal.
- navigation "Why":
  - tablist:
    - tab "Tree" [selected]
    - tab "Queue"
    - tab "Bounds"
    - tab "Models"
- heading "Search tree" [level=2]
- paragraph: /There is no tree yet/
"""
SETTINGS = """
- button "Model and data":
  - heading "Model and data" [level=2]
- combobox "Model family"
- combobox "Data set"
- button "Upload CSV, Excel or Parquet"
- paragraph: /CSV, Excel or Parquet, at most 100 MB, 10 million cells and 5.000 columns/
- textbox "Test share, kept out of training"
- button "Objective and search":
  - heading "Objective and search" [level=2]
- 'textbox "Regularization: cost of a rule"'
- combobox "Order of the queue"
- 'textbox "Width of the beam search (0: none)"'
- group "Bounds in use":
  - checkbox "accurate support" [checked]
  - checkbox "lookahead" [checked]
- button "Antecedents":
  - heading "Antecedents" [level=2]
- textbox "Quantile groups per number"
- checkbox "Negate categories" [checked]
- textbox "Conditions per rule, at most"
- textbox "Least support"
- button "Limits":
  - heading "Limits" [level=2]
- textbox "Time limit (s)"
- textbox "Memory limit (MB)"
- button "Demands and details":
  - heading "Demands and details" [level=2]
- button "Run"
"""
CERTIFIED = """
- button "Run"
- button "Step" [disabled]
- note: "Ended: Run begins anew."
- status "Status":
  - paragraph: /certified optimal. no rule list over .* has a smaller objective; rules have at most 1 condition, not 2/
  - paragraph:
    - button "objective"
    - text: "0.3105"
    - button "lower bound"
    - text: "0.3105"
    - button "gap"
    - text: "0"
    - button "search time"
    - text: /\\d+(\\.\\d+)? s/
- button "Check the proof"
- group: /lists of at most 17 rules are possible over 54 antecedents/
- note: /A second, simpler program goes through the proof on the rows, without the search/
- heading "The optimal rule list" [level=2]
- table "Rules":
  - rowgroup:
    - row "rule class P(positive) captured correct"
  - rowgroup:
    - row "if middle_middle = x positive 0.80 458 366"
    - row "else if top_left = x positive 0.61 246 151"
    - row "else if bottom_right = x positive 0.67 162 109"
    - row "else negative 0.00 92 92"
- paragraph: /3 rules, 240 of 958 training rows wrong \\(25\\.1 %\\), objective 0\\.3105 = 240 errors/
- button "Keep to compare"
- button "Edit"
- button "One person"
- button "Export"
- heading "Objective and lower bound" [level=2]
- paragraph: "The gap is closed: 0.3105 is found, and proven to be the least."
- figure "Objective and lower bound"
- group "Counts":
  - paragraph:
    - button "made"
    - text: /\\d+/
    - button "cut"
    - text: /\\d+/
    - button "expanded"
    - text: /\\d+/
    - button "queue"
    - text: "0"
    - button "log10 remaining"
    - text: none left
- heading "Search tree" [level=2]
- paragraph: /\\d+ prefixes stored; .* Outlined.* the way to the best list/
- figure "Search tree"
- paragraph: "/958 rows, 9 columns; class is positive in 626/"
"""
VERIFIED = """
- button "Check the proof"
- status "Check of the model":
  - paragraph: /^Valid. no rule list has an objective below 0\\.3105/
- heading "The optimal rule list" [level=2]
"""
COMPARE = """
- combobox "Setting to sweep"
- textbox "Its values"
- button "Fill the front"
- button "Upload saved model (JSON)"
- button "Fit baselines"
- button "Export all"
- searchbox "Filter the models"
- region "Models":
  - table "Models":
    - rowgroup:
      - row:
        - columnheader "Model"
    - rowgroup:
      - row:
        - cell:
          - 'checkbox "Card of tic_tac_toe: rule list" [checked]'
- textbox "Name"
- 'heading "A tic_tac_toe: rule list" [level=2]'
- paragraph: /Rule list, predicts class = positive · \\d+-\\d+-\\d+/
- paragraph: /✓ Proven optimal. no rule list over these 54 .* objective; rules have at most 1 condition, not 2/
- table "Rules"
- button "Check the proof"
- button "Remove"
- button "Export"
- table "Figures":
  - row "training test"
  - row /objective share of rows 0\\.3105/
  - row /lower bound share of rows 0\\.3105/
  - row "gap share of rows 0 proven"
  - row /accuracy % 74\\.9/
- heading "Data and parameters" [level=3]
- table "Data and parameters":
  - row "data set tic_tac_toe"
- textbox "Intended use"
- textbox "Limits"
- group: What these figures mean
"""
_HEADINGS = """(e) => /^H[1-6]$/.test(e.tagName) && e.checkVisibility({ visibilityProperty: true })
    ? Number(e.tagName[1]) : null"""
_CONTROLS = ("button", "link", "combobox", "textbox", "checkbox", "radio", "slider", "spinbutton", "progressbar")


def tells(view: Any, part: Any, expected: str) -> None:
    """The part of the page is told as expected, all of its controls have names, and headings go down one by one."""
    from playwright.sync_api import expect

    expect(part).to_match_aria_snapshot(expected, timeout=1000 * PATIENCE)
    told = view.page.locator("body").aria_snapshot().splitlines()
    nameless = [line for line in told if line.strip().removeprefix("- ").rstrip(":") in (*_CONTROLS, "table", "figure")]
    assert nameless == []
    levels = [1, *view.each(_HEADINGS)]
    assert all(below - above <= 1 for above, below in pairwise(levels))
    assert levels.count(1) == 2, "the page's title, and no other"


def test_the_way_to_a_certificate_a_card_and_a_sweep_is_told(visit) -> None:
    view = visit(1440, 900).open(QUICK)
    panel = view.page.get_by_role("tabpanel")
    tells(view, view.page.locator("body"), BANNER)
    tells(view, panel, FIRST)
    view.field("Model family").wait_for()
    tells(view, panel, SETTINGS)
    view.button("Settings").click()
    view.button("Run").click()
    view.until_status("certified optimal")
    tells(view, panel, CERTIFIED)
    view.check.click()
    view.page.get_by_text("Valid: no rule list").wait_for()
    tells(view, panel, VERIFIED)
    view.keep.click()
    view.page.get_by_text("pinned as A").wait_for()
    view.page.get_by_role("tab", name="Compare").click()
    tells(view, panel, COMPARE)
    assert view.console == []
