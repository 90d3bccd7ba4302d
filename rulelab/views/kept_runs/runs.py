"""Kept runs in the table of models: what is kept when a run ends, and what can be done with it afterwards."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any

import param

from ...models import RuleSet
from ...recording import Recording
from ...store import DELETED_DAYS, LARGEST_BUNDLE, KeptTable, Run, Store, StoreError
from ..cards import card_file as pins
from ..cards.card import KEPT, Card
from ..compare.table import MEASURED, ModelTable, same_of, unknown
from ..compare.table import proof as proof_of
from ..compare.table import row as row_of
from ..live.session import SearchSession
from ..live.ticker import Beat
from ..live.wording import count, counted, percent
from ..widgets.esc import plain
from ..widgets.fields import WIDE, when_page_ends
from ..widgets.uploader import Uploader
from . import keeping
from .keeping import GROUPS, Keeper, alike, called, error_of, table_of, title, told_apart

MOST_LISTED = 200
MOST_COMPARED = 8
LARGEST_EXPORT = 20_000_000
"""Bytes of an archive that goes to the browser."""
DIGITS = 16
"""Of a hash in the address of the page."""
_NOTHING = (
    "Nothing is kept: this page is served without a store. rulelab serve --store FILE keeps what its runs come to."
)
_NONE = "No model yet: run a search in the tab Search, fill the front, or upload a saved model."
_NOT_FOUND = "Nothing has all of these words."


class KeptRuns(param.Parameterized):
    """Keeps runs that end, lists what is kept, and opens it."""

    run = param.String(default="", doc="The run that is shown, by its hash; empty: none that is kept.")
    opening = param.Boolean(default=False, doc="Whether that run is being read, and is shown as soon as it is.")
    last = param.String(default="", doc="The run kept last from here, as JSON: its hash, and what it is called.")
    pins = param.String(default="", doc="The models that are pinned, by the hash of them all; empty: none are kept.")

    def __init__(
        self,
        show: Callable[[Recording, str, str | None, Card | None], None],  # a run: its name, query and card
        pin: Callable[[Card], str],  # ValueError when there is no place for it
        complain: Callable[[str], None],
        turn: Callable[[], Any] = lambda: None,  # the page, to where runs are shown
        bring: Callable[[KeptTable], None] = lambda table: None,  # rows without a name, before their run is shown
        keeper: Keeper | None = None,  # by default that of this process
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self._show, self._pin, self._complain, self._turn = show, pin, complain, turn
        self._bring_rows = bring
        self._keeper = keeper or keeping.keeper()
        self._waiting: list[tuple[Future[Any], Callable[[Any], None]]] = []
        self._own = False
        self._words = self._written = ""
        self._deleted: list[str] = []
        self._alike: dict[str, list[str]] = {}  # the runs of each row of the list, by the hash of the latest
        self._kept: tuple[SearchSession, Future[Any]] | None = None
        self._beat = Beat(self.refresh)
        limit = f"Import a zip archive of runs; at most {LARGEST_BUNDLE // 10**6} MB"
        self.uploader = Uploader(
            self._received, label="Import runs", accept=".zip", limit=limit, most=LARGEST_BUNDLE, visible=self.keeps
        )
        # to be shown in the tab Compare
        self.list = ModelTable(self.act, about=self._about, empty=_NONE, uploader=self.uploader, **WIDE)
        self.list.param.watch(lambda _: self.look(), "measured")
        self._page_has_ended = False
        when_page_ends(self._end)

    @property
    def keeps(self) -> bool:
        """Whether there is a store."""
        return self._keeper is not None

    def follow(self, session: SearchSession, card: Card | None) -> None:
        """Keep a session when it is over; the address names it then, and no longer when another one begins."""
        if session.recorded or self._keeper is None:
            return
        before = self._kept[1] if self._kept is not None and self._kept[0] is session else None
        worth = keeping.is_worth_keeping(session)
        if before is None or not worth:
            self._name("")
        if not worth:
            return
        task = self._keeper.do(keeping.save(session, card, before))
        if self._page_has_ended:
            return
        self._kept = session, task
        self._say("keeping this run ...")
        self._await(task, lambda run: self._saved(session, card, run))

    def _end(self) -> None:
        self._page_has_ended = True
        self._beat.stop()

    def follow_pins(self, written: str) -> None:
        """Keep the pinned models, as the text that the browser keeps; the address names them then."""
        if self._keeper is None:
            return
        self._written = written
        if written:
            tables = pins.tables(written)
            self._do(lambda store: store.keep_pins(written, tables()), lambda key: self._named(written, key))
        else:
            self._name(pins="")

    def own_pins(self, written: str) -> None:
        """The models that are pinned here from the beginning: those of the address do not come beside them."""
        self._written = self._written or written

    def refresh(self) -> bool:
        """Take what the store has done; True while there is more to come."""
        done = [pair for pair in self._waiting if pair[0].done()]
        self._waiting = [pair for pair in self._waiting if pair not in done]
        for task, then in done:
            if error := error_of(task):
                self.opening = False
                self._say(error)
                self.uploader.doing = ""
            else:
                then(task.result())
        return bool(self._waiting)

    def act(self, what: str, hashes: list[str], text: str = "") -> None:
        """Do what was pressed in the table."""
        if self._keeper is None:
            return
        if what == "look":
            self._words = text
            self.look()
        elif what == "open" and hashes:
            self._turn()
            self.run = ""
            self.run = hashes[0][:DIGITS]
        elif what == "rename" and hashes:
            self._do(lambda store: store.rename(hashes[0], text), lambda run: self.look("renamed"))
        elif what == "delete" and hashes:
            every = [same for each in hashes for same in self._alike.get(each, [each])]
            self._do(lambda store: list(map(store.delete, every)), lambda _: self._gone(every))
        elif what == "undo" and self._deleted:
            back, self._deleted = self._deleted, []
            self._do(
                lambda store: list(map(store.restore, back)),
                lambda _: self.look(f"{counted(len(back), 'runs')} brought back"),
            )
        elif what == "compare" and hashes:
            keeper = self._keeper
            self._do(lambda store: _cards(keeper, store, hashes[:MOST_COMPARED]), self._pinned)
        elif what == "check" and hashes:
            self._say("reading the proof ...")
            self._do(lambda store: keeping.evidence(store, hashes[0]), self._check)
        elif what == "export" and hashes:
            self._do(lambda store: _archive(store, hashes), lambda content: self._send(content, len(hashes)))

    @param.depends("run", watch=True)
    def _open(self) -> None:
        """Show the run that the address names, unless it is the one that has just ended here."""
        if self._own or not self.run:
            return
        if self._keeper is None:
            self._complain(f"the address asks for the kept run {plain(self.run, 20)}, but this server keeps no runs")
            return
        wanted, keeper, self.opening = self.run, self._keeper, True
        self._do(lambda store: _found(keeper, store, wanted), lambda found: self._opened(wanted, found))

    @param.depends("pins", watch=True)
    def _bring(self) -> None:
        """Pin the models that the address names, unless they are those that were just kept."""
        wanted = self.pins
        if wanted and not self._own:
            self._do(lambda store: _pins(store, wanted), self._brought)

    def _brought(self, found: list[Card] | str) -> None:
        if isinstance(found, str):
            self._complain(found)
        elif not self._written:  # what is pinned here already stays alone
            self._pinned(found)

    def _named(self, written: str, key: str) -> None:
        if written == self._written:
            self._name(pins=key[:DIGITS])

    def _opened(self, wanted: str, found: tuple[Run, Recording, KeptTable | None, Card | None] | str) -> None:
        if wanted != self.run:  # another run has begun meanwhile, or is to be opened
            return
        if isinstance(found, str):
            self._name("")
            self._complain(found)
            return
        run, recording, table, card = found
        try:
            if table is not None and run.query is not None:
                self._bring_rows(table)
            self._show(recording, title(run), run.query, card)
        except ValueError as error:
            self._complain(str(error))
        self._name(run.hash[:DIGITS])
        self.look()

    def _saved(self, session: SearchSession, card: Card | None, run: Run) -> None:
        assert self._keeper is not None
        if self._kept is not None and self._kept[0] is session:
            self._name(run.hash[:DIGITS])
        self.last = json.dumps([run.hash[:DIGITS], title(run)])
        if card is not None and session.prepared is not None and keeping.is_provable(session):
            self.look(f"kept: {title(run)}; its proof is being made ...")
            make = partial(keeping.prove, session.prepared, card)
            self._await(
                self._keeper.do_after(make, lambda store, proof: store.add_proof(run, proof)),
                lambda proven: self.look(f"kept: {title(proven)}{', with its proof' if proven.proof else ''}"),
            )
        else:
            self.look(f"kept: {title(run)}")

    def _check(self, found: keeping.Evidence) -> None:
        """Check a proof beside the store and the page."""
        assert self._keeper is not None
        name = title(found.run)
        self._say(f"checking the proof of {name} ...")
        task = self._keeper.do_after(lambda: keeping.check(found), lambda _store, said: said)
        self._await(task, lambda said: self._say(f"{name}: {said}"))

    def look(self, said: str | None = None) -> None:
        """List what is kept now."""
        if said is not None:
            self._say(said)
        words = self._words
        self._do(lambda store: (store.runs(words, MOST_LISTED + 1), words), self._listed)

    def _listed(self, found: tuple[list[Run], str]) -> None:
        runs, words = found
        if words != self._words:
            return
        groups = alike(runs[:MOST_LISTED])
        self._alike = {group[0].hash: [run.hash for run in group] for group in groups}
        apart, here = told_apart([group[0] for group in groups]), self.run or "-"
        self.list.rows = [
            row(group, any(run.hash.startswith(here) for run in group), apart[group[0].hash], self.list.measured)
            for group in groups
        ]
        more = f" The latest {MOST_LISTED} are listed; search for older ones." if len(runs) > MOST_LISTED else ""
        self.list.param.update(about=self._about + more, empty=_NOT_FOUND if words.strip() else _NONE)

    def _gone(self, hashes: list[str]) -> None:
        self._deleted = hashes
        if any(self.run and each.startswith(self.run) for each in hashes):
            self._name("")
        self.look(
            f"{counted(len(hashes), 'runs')} deleted; for {DELETED_DAYS} days the command line brings them back, too"
        )

    def _pinned(self, cards: list[Card]) -> None:
        letters, said = [], [] if cards else ["these runs have no models"]
        for card in cards:
            try:
                letters.append(self._pin(card))
            except ValueError as error:
                said.append(str(error))
        done = [f"pinned as {', '.join(letters)} in the tab Compare"] if letters else []
        self._say("; ".join([*done, *dict.fromkeys(said)]))

    def _send(self, content: bytes, number: int) -> None:
        name = "rulelab-runs.zip" if number > 1 else "rulelab-run.zip"
        self.list._send_msg({"name": name, "content": base64.b64encode(content).decode("ascii")})
        self._say(f"saved {name}: {count(number)} {'runs' if number > 1 else 'run'}, {len(content) / 1e6:.1f} MB")

    def _received(self, contents: bytes, name: str) -> None:
        self._do(lambda store: store.take(contents), lambda new: self._taken(new, name))

    def _taken(self, new: list[Run], name: str) -> None:
        self.uploader.doing = ""
        self.look(f"{plain(name, 80)}: {counted(len(new), 'runs')} new here")

    def _do(self, work: Callable[[Store], Any], then: Callable[[Any], None]) -> None:
        if self._keeper is not None:
            self._await(self._keeper.do(work), then)

    def _await(self, task: Future[Any], then: Callable[[Any], None]) -> None:
        self._waiting.append((task, then))
        self._beat.start()

    def _say(self, what: str) -> None:
        self.list.param.update(said=plain(what, 400), undo=bool(self._deleted))

    def _name(self, run: str | None = None, pins: str | None = None) -> None:
        """Let the address name a run, or pinned models, that need not be opened."""
        self._own = True
        self.opening = self.opening and run is None
        try:
            self.run = self.run if run is None else run
            self.pins = self.pins if pins is None else pins
        finally:
            self._own = False

    @property
    def _about(self) -> str:
        if self._keeper is None:
            return _NOTHING
        return f"Kept on this server, in {self._keeper.store.name}, for all who open this page."


def row(
    runs: Sequence[Run], present: bool, apart: Mapping[str, str], measured: tuple[str, str] = MEASURED
) -> dict[str, Any]:
    """What the table shows of runs that are alike, the latest first, with the settings that others have differently.

    `measured`: what gaps are in, and whose; an empty attribute: the one that the run compares.
    """
    run = runs[0]
    status = {"optimal": "certified optimal", "limit": f"{run.limit} limit"}
    said = [f"{called(run)} of {run.data}"] if run.name else []
    said += [f"{name}: {text}" for name, text in apart.items()]
    said += [status.get(run.status, run.status), *([] if run.objective is None else [f"objective {run.objective:.6g}"])]
    said += [f"{run.seconds:.2f} s"]
    said += [*(["proof kept"] if run.proof else []), *run.notes]
    said += [f"{counted(len(runs) - 1, 'earlier runs')} came to the same"] if len(runs) > 1 else []
    rules = run.complexity if run.n_rules is None and run.family != RuleSet.family else run.n_rules
    size = unknown if rules is None else (count(rules), float(rules))
    right = run.training_accuracy if run.accuracy is None else run.accuracy
    named = [(*name.partition(" by "), gap) for name, gap in (run.gaps or {}).items()]
    gaps: dict[str, float] = {name: gap for criterion, _, name, gap in named if criterion == measured[0]}
    asked = [measured[1]] if measured[1] else [run.settings.get(GROUPS, ""), *gaps]
    between = next((name for name in asked if name in gaps), "")
    shares = run.test_accuracy, right, gaps.get(between)
    tested, trained, gap_shown = (unknown if x is None else (percent(x), x) for x in shares)
    said += [f"gap by {between}"] if between else []
    proof = proof_of(run.status == "optimal", run, run.family)
    made = run.made[:16].replace("T", " "), float(re.sub("[^0-9]", "", run.made[:16]))
    openable, proven = "recording" in run.files, run.proof is not None
    acts = {"open": "Open"} if openable else {}
    acts |= {"check": "Check proof"} if proven else {}
    acts |= {"rename": "Rename", "export": "Export zip", "delete": "Delete"}
    figures = [tested, trained, gap_shown, size, proof, made]
    more = {"hash": run.hash, "name": run.name, "present": present, "openable": openable, "proven": proven}
    more |= {"same": same_of(run.data, run.objective, run.gap), "tick": "compare", "link": f"?run={run.hash[:DIGITS]}"}
    return row_of(run.hash, title(run), " · ".join(said), figures, acts=acts, **more)


def _found(keeper: Keeper, store: Store, hash: str) -> tuple[Run, Recording, KeptTable | None, Card | None] | str:
    try:
        run = store.run(hash)
        return run, store.recording(run), table_of(store, run), next(iter(_cards(keeper, store, [run.hash])), None)
    except ValueError as error:
        missing = "its archive, imported in the tab Compare, brings it here" if isinstance(error, StoreError) else ""
        return "; ".join(filter(None, (f"the run of this address cannot be shown: {error}", missing)))


def _pins(store: Store, key: str) -> list[Card] | str:
    try:
        cards, _ = pins.read(store.pins(key), lambda doing: None)
    except StoreError as error:
        return f"the pinned models of this address cannot be shown: {error}"
    return [replace(card, origin=KEPT) for card in cards]


def _cards(keeper: Keeper, store: Store, hashes: list[str]) -> list[Card]:
    """Model cards of runs, with their rows where these are kept or known; those without a model are left out."""
    out = []
    for run in map(store.run, hashes):
        if "model" not in run.files:
            continue
        entry = {"model": json.loads(store.file(run, "model")), "split": _split(store, run)}
        cards, _ = pins.read(json.dumps([entry]), lambda doing: None)
        recheck = partial(keeping.recheck, keeper, run.hash) if run.proof else None
        title = "" if run.split else run.data
        out += [replace(card, origin=KEPT, recheck=recheck, title=title or card.title) for card in cards]
    return out


def _split(store: Store, run: Run) -> dict[str, Any] | None:
    """How to find the rows of a run again, see `rulelab.views.cards.rows.Split`."""
    if run.split is not None:
        return dict(run.split)
    return None if table_of(store, run) is None else {"data": run.data, "n_rows": run.rows, "kept": run.data_hash}


def _archive(store: Store, hashes: list[str]) -> bytes:
    content = store.export(None, hashes)
    if len(content) > LARGEST_EXPORT:
        raise StoreError(
            f"this archive takes {len(content) / 1e6:.0f} MB, more than the {LARGEST_EXPORT // 10**6} MB that the page "
            "sends; take fewer runs, or use rulelab runs export"
        )
    return content
