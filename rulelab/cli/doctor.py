"""``rulelab doctor``: whether this installation works: packages, compiled kernels, data, and a certified search."""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .. import __version__
from .output import one_line, say, table

_DATA = "tic_tac_toe"
_PENALTY = 0.02


class Finding(NamedTuple):
    """One line of the report; `cure` is empty where all is well."""

    what: str
    found: str
    cure: str = ""


def doctor(args: argparse.Namespace) -> int:
    """Run the command; exit status 1 when something is wrong."""
    findings: list[Finding] = []
    for check in (_machine, _packages, _cache, _data, _search):
        say(f"looking at the {check.__name__.strip('_')} ...")
        try:
            findings += check()
        except Exception as error:  # noqa: BLE001 whatever it is, it is what was asked for
            findings.append(Finding(check.__name__.strip("_"), f"{type(error).__name__}: {error}", "see the message"))
    rows = [("wrong" if each.cure else "ok", each.what, one_line(each.found)) for each in findings]
    print(table(("", "what", "found"), rows, right=()))
    wrong = [each for each in findings if each.cure]
    for each in wrong:
        print(f"\n{each.what}: {one_line(each.cure)}")
    print("\n" + (f"{len(wrong)} of {len(findings)} things are wrong" if wrong else "all is well"))
    return 1 if wrong else 0


def _machine() -> Iterator[Finding]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Finding("rulelab", f"{__version__} in {Path(__file__).resolve().parents[1]}")
    yield Finding("python", f"{platform.python_version()} on {platform.system()} {platform.machine()}, {cores} cores")


def _packages() -> Iterator[Finding]:
    from importlib import metadata

    from packaging.requirements import Requirement

    needed = [Requirement(line) for line in metadata.requires("rulelab") or []]
    for each in sorted(needed, key=lambda requirement: requirement.name.lower()):
        if each.marker is not None and not each.marker.evaluate({"extra": ""}):
            continue
        try:
            found = metadata.version(each.name)
        except metadata.PackageNotFoundError:
            yield Finding(each.name, "is not installed", f"install {each}")
            continue
        fits = each.specifier.contains(found, prereleases=True)
        yield Finding(each.name, found, "" if fits else f"rulelab needs {each}: install that")


def _cache() -> Iterator[Finding]:
    import tempfile

    import numba

    from ..kernels.mining import mine_pairs

    what = "compiled kernels"
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        yield Finding(what, "none", "NUMBA_DISABLE_JIT is set: searches are hundreds of times slower without them")
        return
    if mine_pairs.stats.cache_path is None:
        yield Finding(what, "not kept", "RULELAB_CACHE is 0: every start compiles anew, for about a minute")
        return
    folder = Path(mine_pairs.stats.cache_path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        cure = "every start will compile anew, for about a minute: set NUMBA_CACHE_DIR to a folder that can be written"
        yield Finding(what, f"{folder}: {error.strerror or error}", cure)
    else:
        root = folder.parent.parent if folder.name == "__pycache__" else folder.parent
        yield Finding(what, f"{sum(1 for _ in root.rglob('*.nbi'))} indices below {root}")


def _data() -> Iterator[Finding]:
    from .. import datasets
    from .. import store as kept_runs

    counted = datasets.catalogue()["availability"].value_counts()
    where = ", ".join(f"{number} {where}" for where, number in counted.items())
    yield Finding("data sets", f"{where}; cache {datasets.home()}")
    place, another = Path(kept_runs.default_url()), f"{kept_runs.HOME_VARIABLE} names another folder"
    if not place.exists():
        yield Finding("kept runs", f"none yet; they will be in {place} ({another})")
        return
    try:
        with kept_runs.open() as store:
            damaged = store.damaged()
            kept = len(store.runs(most=1 << 30))
            found = f"{kept} in {store.place}, {store.nbytes / 1e6:.1f} MB ({another})"
    except kept_runs.StoreError as error:
        yield Finding(
            "kept runs", str(error), f"move that file away, or let {kept_runs.HOME_VARIABLE} name another folder"
        )
        return
    cure = f"{len(damaged)} cannot be read, such as: {damaged[0]}" if damaged else ""
    yield Finding("kept runs", found, cure)


def _search() -> Iterator[Finding]:
    import rulelab as rl

    data = rl.datasets.load(_DATA)
    conditions = rl.Binarizer().fit_transform(data.X)
    problem = rl.Problem.from_antecedents(rl.mine_antecedents(conditions, 1), data.y)
    search = rl.RuleListSearch(problem, regularization=_PENALTY)
    began = time.perf_counter()
    search.compile()
    ready = time.perf_counter()
    last = rl.solve(search, time_limit=60)
    ended = time.perf_counter()
    yield Finding("compiling", f"{ready - began:.1f} s")
    best: Any = last.incumbent
    found = f"{last.status} after {ended - ready:.2f} s: objective {best.objective:.4f}"
    sure = last.status is rl.Status.OPTIMAL
    yield Finding(f"search ({_DATA})", found, "" if sure else "this takes less than a second where all is well")
    if sure:
        checked = rl.verify(problem, best.model, search.certificate())
        yield Finding("its proof", "holds" if checked.valid else checked.reason, "" if checked.valid else "report this")
