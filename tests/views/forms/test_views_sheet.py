"""Uploads on the page: in pieces, with a sheet that has to be accepted; what is not accepted changes nothing."""

import base64
import json
import threading
from typing import Any
from weakref import WeakSet

import numpy as np
import pandas as pd
import panel as pn
import pytest
from live import HOSTILE, bring_file, button, html, made, send, upload, use_file, use_roles
from patience import PATIENCE, wait_until

import rulelab as rl
from rulelab.views.cards.card import of_search
from rulelab.views.cards.scores import of_card
from rulelab.views.forms import data
from rulelab.views.forms import draft as draft_module
from rulelab.views.forms.data import UPLOADED
from rulelab.views.forms.data_settings import DataSettings
from rulelab.views.forms.draft import MAX_COLUMNS, MAX_PREVIEWED, Draft
from rulelab.views.search.setup import Setup
from rulelab.views.search.view import SearchView
from rulelab.views.widgets import uploader
from rulelab.views.widgets.uploader import Uploader

ROWS = 120


def table() -> pd.DataFrame:
    """Decimal commas when written so; krank follows Höhe; therapy gives it away."""
    rng = np.random.default_rng(0)
    height = rng.integers(100, 200, ROWS) / 100
    ill = (height > 1.5) ^ (rng.random(ROWS) < 0.1)
    frame = pd.DataFrame(
        {"id": range(1, ROWS + 1), "Höhe": height, "gender": rng.choice(["f", "m"], ROWS).astype(object)}
    )
    frame.loc[::15, "gender"] = None
    frame["seen"] = (pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(ROWS), "D")).strftime("%d.%m.%Y")
    frame["therapy"] = np.where(ill, "drug", "none")
    frame["krank"] = np.where(ill, "ja", "nein").astype(object)
    frame.loc[[3, 4], "krank"] = None
    return frame


GERMAN = table().to_csv(index=False, sep=";", decimal=",").encode("latin-1")


@pytest.fixture
def settings() -> DataSettings:
    return DataSettings()


def row(draft: Draft, name: str) -> dict[str, Any]:
    return next(column for column in draft.state()["columns"] if column["name"] == name)


def test_the_sheet_says_what_was_read() -> None:
    draft = Draft(GERMAN, "daten.csv")
    state = draft.state()
    json.dumps(state)
    assert state["title"] == "daten.csv: 120 rows, 6 columns"
    assert {field["name"]: field["chosen"] for field in state["form"]} == {
        "encoding": "cp1252",
        "separator": ";",
        "decimal": ",",
        "thousands": "",
        "lines above": "0",
        "header": "yes",
        "also empty": "",
    }
    assert state["head"] == ["id", "Höhe", "gender", "seen", "therapy", "krank"]
    assert len(state["preview"]) == 8
    roles = ["ignore", "feature", "group", "feature", "feature", "target"]
    assert [column["role"] for column in state["columns"]] == roles
    assert row(draft, "therapy")["leak"] == "each of its 2 values goes with one class"
    assert "identifier" in row(draft, "id")["notes"]
    healthy, ill = sorted(row(draft, "therapy")["bars"], key=lambda bar: bar[1])
    assert (healthy[:2], ill[:2]) == ([round(100 * 53 / 65, 1), 0], [100, 100])
    assert (row(draft, "seen")["bars"], row(draft, "id")["bars"][0][0] > 0) == ([], True)
    assert state["remarks"] == [
        "2 rows without a target will be left out.",
        "gender: 8 rows without a value are the group (missing).",
    ]
    assert (state["classes"], state["positive"], state["lacking"]) == (["ja (65, 55 %)", "nein (53, 45 %)"], 0, "")
    draft.give("gender", "target")
    assert (draft.roles["krank"], draft.classes, draft.positive) == ("feature", ["f", "m"], "f")
    draft.give("id", "weight")
    draft.give("Höhe", "weight")
    assert [name for name, role in draft.roles.items() if role == "weight"] == ["Höhe"]
    draft.give("Höhe", "nonsense")
    assert draft.roles["Höhe"] == "weight"
    draft.give("Höhe", "group")
    assert any("groups are too many to compare" in remark for remark in draft.state()["remarks"])


def test_nothing_changes_before_the_sheet_is_accepted(settings) -> None:
    before = settings.data
    bring_file(settings, GERMAN, "daten.csv")
    assert settings.pending
    assert (settings.data, settings.own) == (before, None)
    assert settings.dialog.state["title"].startswith("daten.csv")
    settings.cancel()
    assert not settings.pending
    assert (settings.data, settings.own, settings.dialog.state) == (before, None, {})
    bring_file(settings, GERMAN, "daten.csv")
    settings.accept()
    assert not settings.pending
    assert settings.data == UPLOADED
    assert "Predicts krank = ja." in html(pn.Column(*settings.fields))
    assert "Groups: gender." in html(pn.Column(*settings.fields))


def test_a_bad_file_after_a_good_one_leaves_the_good_one(settings, monkeypatch) -> None:
    use_file(settings, GERMAN)
    used = settings.own
    bring_file(settings, b"a,b\n1,2\n3\n", "bad.csv")
    assert "row 2" in settings.complaint
    assert settings.complaint.endswith("The data are as before.")
    assert (settings.data, settings.own, settings.pending) == (UPLOADED, used, False)
    bring_file(settings, GERMAN, "daten.csv")
    assert settings.complaint == ""
    monkeypatch.setattr(data, "MAX_CELLS", 100)
    bring_file(settings, GERMAN, "daten.csv")
    assert "daten.csv has 720 cells (120 rows x 6 columns), more than the limit of 100" in settings.complaint
    monkeypatch.setattr(data, "MAX_UPLOAD_BYTES", 1000)
    bring_file(settings, GERMAN, "daten.csv")
    most = "daten.csv has 0 MB; CSV, Excel or Parquet, at most 100 MB, 10 million cells and 5\u202f000 columns"
    assert most in settings.complaint


def test_roles_reach_the_data_set_and_the_code(settings, tmp_path, monkeypatch) -> None:
    use_file(settings, GERMAN, "daten.csv", positive="ja", therapy="ignore", gender="group", seen="ignore")
    made = settings.loader()()
    assert list(made.X) == ["Höhe"]
    assert (made.positive, len(made.y)) == ("ja", ROWS - 2)
    assert list(made.sensitive) == ["gender"]
    assert "2 of 120 rows have no target" in made.notes
    (tmp_path / "daten.csv").write_bytes(GERMAN)
    monkeypatch.chdir(tmp_path)
    again = eval(settings.code(), {"rl": rl})
    pd.testing.assert_frame_equal(again.X, made.X)
    pd.testing.assert_series_equal(again.y, made.y)


def test_the_sheet_of_the_file_in_use_can_be_opened_again(settings) -> None:
    use_file(settings, GERMAN, therapy="ignore")
    settings.reopen()
    settings.draft.give("Höhe", "ignore")
    settings.cancel()
    settings.reopen()
    assert (settings.draft.roles["Höhe"], settings.draft.roles["therapy"]) == ("feature", "ignore")
    use_roles(settings, Höhe="ignore")
    assert "Höhe" not in settings.loader()().X


def test_a_guess_and_what_is_empty_and_the_header_can_be_corrected() -> None:
    raw = b"a;y\n" + b"1,234;0\n5,678;1\n" * 15
    draft = Draft(raw, "a.csv")
    assert "could be 1234" in draft.state()["doubts"][0]
    assert draft.state()["preview"][0][0] == "1.234"
    draft.read_as({"thousands": ",", "decimal": "."})
    assert (draft.error, draft.state()["preview"][0][0]) == ("", "1234")
    draft.read_as({"encoding": "utf-16"})
    assert draft.state()["error"]
    assert draft.state()["preview"][0][0] == "1234"
    draft.read_as({"decimal": "<b>", "nonsense": "x"})
    assert draft.state()["preview"][0][0] == "1234"
    draft = Draft(b"a,b,y\n" + b"nil,1,0\n?,2,1\nx,3,1\n" * 8, "a.csv")
    assert row(draft, "a")["missing"] == "0"
    draft.read_as({"also empty": "?, nil"})
    assert (draft.error, row(draft, "a")["missing"], row(draft, "a")["distinct"]) == ("", "16", "1")
    assert draft.state()["form"][-1]["chosen"] == "?, nil"
    draft.read_as({"header": "no"})
    assert draft.state()["head"] == ["c1", "c2", "c3"]
    draft.read_as({"header": "yes", "lines above": "1", "also empty": ""})
    assert draft.state()["head"] == ["nil", "1", "0"]


def test_what_is_lacking_is_said_and_cannot_be_accepted(settings) -> None:
    raw = b"a,z,one,y\n" + b"".join(b"%d,%d.5,1,%d\n" % (k % 7, k, k % 2) for k in range(80))
    for roles, lacking in (
        ({"y": "feature"}, "Choose the target"),
        ({"z": "target"}, "too many for classes"),
        ({"one": "target"}, "one value only"),
        ({"a": "ignore", "z": "ignore", "one": "ignore"}, "No column is a feature"),
    ):
        bring_file(settings, raw, "a.csv")
        for name, role in roles.items():
            settings.draft.give(name, role)
        assert lacking in settings.draft.state()["lacking"]
        settings.accept()
        assert lacking in settings.dialog.state["error"]
        assert (settings.own, settings.pending) == (None, True)
    bring_file(settings, b"a,y\ninf,0\n5,1\n5,1\n", "a.csv")
    settings.accept()
    assert "infinite value in row 1" in settings.dialog.state["error"], "data that cannot be used"
    settings.draft.give("a", "ignore")
    assert settings.draft.state()["error"] == ""


@pytest.mark.long
def test_wide_files_are_shown_in_part_and_used_whole(settings) -> None:
    width = MAX_COLUMNS + 20
    header = ",".join([*(f"c{k}" for k in range(width)), "y"])
    lines = [",".join([*(str((k + j) % 5) for k in range(width)), str(j % 2)]) for j in range(30)]
    bring_file(settings, "\n".join([header, *lines]).encode(), "wide.csv")
    state = settings.draft.state()
    assert (len(state["columns"]), len(state["head"])) == (MAX_COLUMNS, MAX_PREVIEWED)
    assert state["remarks"] == ["21 more columns, used as guessed."]
    settings.accept()
    assert settings.own.dataset().X.shape[1] > MAX_COLUMNS


def test_hostile_names_are_one_line_of_text(settings) -> None:
    raw = f'"{HOSTILE}\n",b,y\n'.encode() + b"1,2,0\n2,1,1\n" * 10
    bring_file(settings, raw, f"../../{HOSTILE}.csv")
    assert all("\n" not in name for name in settings.dialog.state["head"])
    settings.accept()
    assert "<img" not in html(pn.Column(*settings.fields))


def test_nothing_can_be_run_while_data_are_chosen() -> None:
    view = SearchView(new_session=Setup().new_session)
    view.blocked = True
    assert not button(view, "Run").able
    assert not button(view, "Step").able
    view.blocked = False
    assert button(view, "Run").able


class Sent:
    """An uploader, and what arrives."""

    def __init__(self, **options: Any) -> None:
        self.arrived: list[tuple[bytes, str]] = []
        self.cancelled = 0
        self.widget = Uploader(
            lambda *file: self.arrived.append(file), cancelled=self._cancel, limit="At most 10", **options
        )

    def _cancel(self) -> None:
        self.cancelled += 1

    def send(self, contents: bytes, last: bool = True, number: int = 1) -> None:
        piece = base64.b64encode(contents).decode()
        send(self.widget, {"type": "piece", "id": number, "data": piece, "last": last})


def test_a_file_comes_in_pieces() -> None:
    sent = Sent()
    send(sent.widget, {"type": "begin", "id": 1, "name": "a.csv"})
    sent.send(b"abc", last=False)
    assert (sent.arrived, sent.widget.doing) == ([], "uploading a.csv")
    sent.send(b"de")
    assert sent.arrived == [(b"abcde", "a.csv")]


def test_a_cancelled_or_faulty_upload_is_forgotten() -> None:
    sent = Sent(most=10)
    for number, end in enumerate(["cancel", "too large", "no base64"]):
        send(sent.widget, {"type": "begin", "id": number, "name": "a.csv"})
        sent.send(b"abc", last=False, number=number)
        if end == "cancel":
            send(sent.widget, {"type": "cancel"})
        elif end == "too large":
            sent.send(b"x" * 20, number=number)
            assert sent.widget.said == "a.csv is too large. At most 10"
        else:
            send(sent.widget, {"type": "piece", "id": number, "data": "%%%", "last": True})
            assert "did not arrive as it was sent" in sent.widget.said
        sent.send(b"late", number=number)
        assert (sent.arrived, sent.widget.doing, sent.cancelled) == ([], "", number + 1)


def begin(sent: Sent, size: int) -> None:
    send(sent.widget, {"type": "begin", "id": 1, "name": "a.csv", "size": size})


def test_all_pages_together_send_no_more_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploader, "MOST_AT_ONCE_BYTES", 10)
    monkeypatch.setattr(uploader, "OPEN", WeakSet())
    first, second, third = (Sent(most=8) for _ in range(3))
    for sent in (first, second):
        begin(sent, 5)
        assert sent.widget.doing == "uploading a.csv"
    begin(third, 5)
    many = "So many files are being sent to this server that a.csv has to wait; try again in a minute."
    assert third.widget.said == many
    first.send(b"12345")
    assert first.arrived == [(b"12345", "a.csv")]
    begin(third, 5)
    assert third.widget.doing == "", "the first file still waits to be read"
    first.widget.doing = ""
    begin(third, 5)
    assert third.widget.doing == "uploading a.csv"
    second.send(b"123456")
    assert second.widget.said == "a.csv has grown while it was sent; try again"


def test_a_file_that_does_not_come_any_more_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploader, "MOST_AT_ONCE_BYTES", 10)
    monkeypatch.setattr(uploader, "OPEN", WeakSet())
    idle, other = Sent(most=10), Sent(most=10)
    begin(idle, 10)
    begin(other, 10)
    assert other.widget.doing == ""
    monkeypatch.setattr(uploader, "IDLE_SECONDS", -1.0)
    begin(other, 10)
    assert other.widget.doing == "uploading a.csv"
    idle.send(b"late", last=False)
    assert "came too slowly" in idle.widget.said
    assert (idle.widget.doing, idle.cancelled) == ("", 1)


def test_a_large_table_is_looked_through_beside_the_page(settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_module, "AT_ONCE_CELLS", 0)
    bring_file(settings, GERMAN, "daten.csv")
    dialog = settings.dialog

    def tell(**message: Any) -> None:
        send(dialog, message)
        assert dialog.state["busy"] == "Looking through daten.csv ..."
        send(dialog, {"type": "role", "position": 0, "role": "target"})  # not while it is busy
        wait_until(lambda: not settings.refresh())

    position = [row["name"] for row in dialog.state["columns"]].index("gender")
    tell(type="role", position=position, role="group")
    assert "busy" not in dialog.state
    assert dialog.state["columns"][position]["role"] == "group"
    assert settings.draft.target == "krank"
    tell(type="read", how={"encoding": "utf-8"})
    assert "is not UTF-8" in dialog.state["error"]
    tell(type="accept")
    assert (settings.draft, settings.own.sensitive) == (None, ("gender",))


def test_messages_that_mean_nothing_do_no_harm(settings) -> None:
    messages = [None, 3, "accept", {}, {"type": "piece"}, {"type": "begin", "id": {}}, {"type": []}]
    for message in messages:
        send(Sent().widget, message)
        send(settings.dialog, message)
    bring_file(settings, GERMAN, "daten.csv")
    for message in (
        *messages,
        {"type": "role", "position": 99, "role": "target"},
        {"type": "positive", "position": -1},
    ):
        send(settings.dialog, message)
        assert settings.draft.roles["krank"] == "target"


def test_messages_of_the_sheet_change_it(settings) -> None:
    bring_file(settings, GERMAN, "daten.csv")
    for message in (
        {"type": "role", "position": 1, "role": "ignore"},
        {"type": "positive", "position": 0},
        {"type": "read", "how": {"encoding": "latin-1"}},
        {"type": "role", "position": 4, "role": "ignore"},
    ):
        send(settings.dialog, message)
    shown = settings.dialog.state
    assert shown["form"][0]["chosen"] == "latin-1"
    assert (shown["columns"][4]["role"], shown["positive"]) == ("ignore", 0)
    assert shown["columns"][1]["role"] == "ignore", "another encoding leaves the roles of columns that are still there"
    send(settings.dialog, {"type": "accept"})
    assert settings.data == UPLOADED


def test_a_file_is_read_beside_the_page_and_can_be_given_up(settings, monkeypatch) -> None:
    wait, read = threading.Event(), data.datasets.sheet
    monkeypatch.setattr(data.datasets, "sheet", lambda *given, **how: wait.wait(PATIENCE) and read(*given, **how))
    upload(settings.fields[1], GERMAN, "daten.csv")
    assert settings.refresh(), "it is still being read"
    settings.cancel()
    wait.set()
    assert not settings.refresh()
    assert settings.draft is None
    upload(settings.fields[1], GERMAN, "daten.csv")
    wait_until(lambda: not settings.refresh())
    assert settings.draft is not None
    upload(settings.fields[1], b"", "empty.csv")
    wait_until(lambda: not settings.refresh())
    assert "empty.csv is empty" in settings.complaint


def test_weights_of_an_uploaded_file_are_repeated_rows(tmp_path, monkeypatch) -> None:
    frame = table()[["Höhe", "gender", "krank"]].dropna()
    frame["w"] = 1 + np.arange(len(frame)) % 3
    setup = Setup()
    use_file(setup.table, frame.to_csv(index=False).encode(), "mine.csv", w="weight")
    repeated = Setup()
    rows = frame.loc[frame.index.repeat(frame["w"])].drop(columns="w")
    use_file(repeated.table, rows.to_csv(index=False).encode(), "rows.csv")
    frame.to_csv(tmp_path / "mine.csv", index=False)
    monkeypatch.chdir(tmp_path)
    for family in ("rule_list", "rule_set"):
        cards = []
        for each in (setup, repeated):
            each.choose(family=family)
            done = each.recipe()(lambda doing: None)
            snapshot = rl.solve(done.search, time_limit=20)
            cards.append((snapshot.incumbent.objective, of_search(done.search, snapshot, done)))
        (one, weighted), (other, plain) = cards
        assert one == pytest.approx(other)
        found, expected = (of_card(card, lambda doing: None) for card in (weighted, plain))
        assert found.training == expected.training
        assert made(weighted.code)["last"].incumbent.objective == one


def test_all_that_was_left_out_can_be_read() -> None:
    setup = Setup()
    constant = {f"c{k}": [HOSTILE] * 60 for k in range(7)}
    frame = pd.DataFrame({**constant, "a": [k % 7 for k in range(60)], "y": [k % 2 for k in range(60)]})
    use_file(setup.table, frame.to_csv(index=False).encode(), **dict.fromkeys(constant, "feature"))
    view = SearchView(new_session=setup.new_session)
    view.run()
    wait_until(lambda: view.session.prepared is not None)
    view.refresh()
    shown = html(view)
    assert "7 not made into conditions" in shown
    assert all(f"<li>c{k}: constant</li>" in shown for k in range(7))
    view.close()


def test_a_data_set_that_cannot_be_fetched_is_one_sentence(monkeypatch, tmp_path, settings) -> None:
    def unreachable(*_: Any, **__: Any) -> Any:
        raise OSError("no network")

    monkeypatch.setenv("RULELAB_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("pooch.retrieve", unreachable)
    settings.data = "adult"
    with pytest.raises(rl.datasets.DatasetError) as caught:
        settings.loader()()
    assert len(str(caught.value)) < 150
    assert "adult is not on this machine" in str(caught.value)


def test_an_unknown_target_is_asked_about_and_the_positive_class_follows_the_target() -> None:
    frame = pd.DataFrame(
        {"a": np.arange(60) % 7, "gender": ["f", "m"] * 30, "churned": ["Yes", "No", "No", "unknown"] * 15}
    )
    draft = Draft(frame.to_csv(index=False).encode(), "a.csv")
    state = draft.state()
    assert state["classes"][:3] == ["No (30, 50 %)", "Yes (15, 25 %)", "unknown (15, 25 %)"]
    choices = [["leave out", "leave out"], ["negative", "count as not Yes"]]
    assert (state["positive"], state["unknown"]) == (1, ["15 rows where it is unknown", choices, "leave out"])
    made = draft.dataset()
    assert (len(made.y), list(made.X), list(made.sensitive)) == (45, ["a"], ["gender"])
    draft.count_unknown("negative")
    assert len(draft.dataset().y) == 60
    assert "unknown='negative'" in draft.code()
    draft.give("gender", "target")
    assert (draft.positive, draft.roles["churned"]) == ("f", "feature")
    draft.give("churned", "target")
    assert (draft.positive, draft.roles["gender"]) == ("Yes", "group")


def test_rows_without_a_known_target_are_counted_once_and_not_among_the_rows() -> None:
    frame = pd.DataFrame({"a": np.arange(80) % 7, "churned": ["Yes", "No", "No", "unknown", None] * 16})
    setup = Setup()
    use_file(setup.table, frame.to_csv(index=False).encode(), "a.csv")
    assert (setup.table.n_rows, setup.table.left_out) == (48, 32)
    head = "".join(text for text, _ in setup.sentence.parts)
    prepared = setup.recipe()(lambda doing: None)
    assert "(48 rows)" in head
    assert prepared.notes[0].startswith("48 rows (80, 32 left out: target unknown), 1 columns")
    assert prepared.n_rows == 48
    use_roles(setup.table)
    setup.table.reopen()
    setup.table.draft.count_unknown("negative")
    setup.table.accept()
    assert (setup.table.n_rows, setup.table.left_out) == (64, 16)


@pytest.mark.parametrize(
    ("kind", "sums"),
    [("csv", {"town": "Total", "size": 175}), ("csv", {"size": "Total"}), ("parquet", {"town": "Total"})],
)
def test_a_row_of_sums_is_left_out_by_one_press_and_stays_so(settings, kind: str, sums: dict[str, Any]) -> None:
    frame = pd.DataFrame({"town": ["a", "b", "c"] * 20, "size": np.arange(60) % 7, "y": [0, 1, 1] * 20})
    whole = pd.concat([frame, pd.DataFrame([sums])])
    raw = whole.to_csv(index=False).encode() if kind == "csv" else whole.to_parquet()
    bring_file(settings, raw, f"a.{kind}")
    shown = settings.dialog.state
    assert shown["sums"]
    assert "begins with 'Total': is it a sum?" in shown["doubts"][-1]
    send(settings.dialog, {"type": "sums"})
    shown = settings.dialog.state
    assert (shown["sums"], shown["doubts"]) == (False, [])
    assert "The last row, which holds sums, is left out." in shown["remarks"]
    assert "60 rows" in shown["title"]
    if kind == "csv":
        send(settings.dialog, {"type": "read", "how": {"encoding": "latin-1"}})
    send(settings.dialog, {"type": "accept"})
    data = settings.loader()()
    pd.testing.assert_frame_equal(data.X.reset_index(drop=True), frame[["town", "size"]], check_dtype=False)
    assert data.y.tolist() == frame["y"].tolist()
    assert str(data.positive) == "1"
    assert settings.code() == "", "no Python reads the file so"
    send(settings.dialog, {"type": "sums"})


def test_an_order_of_categories_is_that_of_the_sheet() -> None:
    order = ["low", "mid", "high"]
    rows = np.resize(["mid", "mid", "high", "low", "mid", "high"], 60)
    kind = pd.CategoricalDtype(order, ordered=True)
    frame = pd.DataFrame({"grade": pd.Series(rows).astype(kind), "y": [0, 1] * 30})
    draft = Draft(frame.to_parquet(), "a.parquet")
    assert [title.partition(":")[0] for _, _, title in row(draft, "grade")["bars"]] == order
    draft.give("grade", "target")
    assert draft.classes == order
