"""What comes with the package: notebooks, benchmarks, the figures of the papers, data sets, and terms."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from importlib import import_module
from pathlib import Path

from ..shown import percent
from .options import reading_of
from .output import CommandError, one_line, say, table

_PACKAGE = Path(__file__).resolve().parents[1]
FOLDERS = {
    "notebooks": (_PACKAGE.parent / "notebooks", _PACKAGE / "_examples" / "notebooks"),
    "benchmarks": (_PACKAGE.parent / "tests" / "benchmarks", _PACKAGE / "_examples" / "benchmarks"),
    "reference": (_PACKAGE.parent / "tests" / "reference", _PACKAGE / "_examples" / "reference"),
}
"""Where they are in a checkout, and in an installed copy."""


def folder_of(name: str) -> Path | None:
    """Where the notebooks or the benchmarks are; None where they were not installed."""
    return next((folder for folder in FOLDERS[name] if folder.is_dir()), None)


BENCHMARKS = folder_of("benchmarks")


def examples(args: argparse.Namespace) -> None:
    source = folder_of("notebooks")
    if source is None:
        raise CommandError("the notebooks were not installed with this copy of rulelab: install the wheel again", 1)
    notebooks = sorted(source.glob("*.ipynb"))
    if args.list:
        print(table(("notebook", "what it is about"), [(path.name, title_of(path)) for path in notebooks], right=()))
        return
    target = Path(args.folder)
    wanted = [(path, target / path.relative_to(source.parent)) for path in notebooks]
    folders = [folder_of(name) for name in ("benchmarks", "reference")] if args.benchmarks else []
    for folder in filter(None, folders):  # whose naive references judge what `rulelab bench fuzz` tries
        files = (path for path in sorted(folder.iterdir()) if path.suffix in (".py", ".txt"))
        wanted += [(path, target / folder.name / path.name) for path in files]
    there = [str(new) for _, new in wanted if new.exists()]
    if there and not args.overwrite:
        raise CommandError(f"{there[0]} is there already, and so are {len(there) - 1} more; --overwrite replaces them")
    try:
        for old, new in wanted:
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(old, new)
    except OSError as error:
        raise CommandError(f"cannot write {error.filename or target}: {error.strerror or error}", 1) from error
    print("\n".join(str(new) for _, new in wanted))
    say(f"open them with: jupyter lab {target / source.name}   (pip install 'rulelab[notebook]')")


def title_of(path: Path) -> str:
    """The heading of a notebook; its name where it has none."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    lines = "".join("".join(cell["source"]) + "\n" for cell in cells if cell["cell_type"] == "markdown").splitlines()
    return next((line[2:].strip() for line in lines if line.startswith("# ")), path.stem)


def papers(args: argparse.Namespace) -> None:
    from ..papers import figures, write
    from ..papers.page import cells, numeric

    known = figures()
    if unknown := [name for name in args.names if name not in known]:
        raise CommandError(f"no figure is called {unknown[0]!r}; there are {', '.join(known)}")
    if args.list:
        print(
            table(("name", "what", "paper"), [(each.name, each.what, each.paper) for each in known.values()], right=())
        )
        return
    if args.output is not None and args.output.exists() and not args.output.is_dir():
        raise CommandError(f"-o: {args.output} is a file; give a folder")
    made = {}
    for name in args.names or known:
        figure = known[name]
        say(f"{name}: {figure.what}")
        result = made[figure] = figure.made(args.quick)
        print(f"\n{figure.what}\n{figure.paper}\n{figure.note}")
        for title, frame in result.tables.items():
            right = [k for k, number in enumerate(numeric(frame)) if number]
            print(f"\n{title}\n{table(list(frame.columns), cells(frame), right)}", flush=True)
    if args.output is not None:
        say(f"saved {write(args.output, made, args.quick)}")


def bench(args: argparse.Namespace) -> int:
    if BENCHMARKS is None:
        raise CommandError("the benchmarks were not installed with this copy of rulelab: install the wheel again")
    found = {path.stem.replace("_", "-"): path for path in sorted(BENCHMARKS.glob("[!_]*.py"))}
    if args.name is None:
        print("benchmarks: " + ", ".join(found))
        return 0
    if args.name not in found:
        raise CommandError(f"there is no benchmark {args.name!r}; the benchmarks are {', '.join(found)}")
    sys.path.insert(0, str(BENCHMARKS))  # they share a module of their own
    return import_module(found[args.name].stem).main(args.arguments) or 0


def datasets(args: argparse.Namespace) -> None:
    from .. import datasets

    if args.describe is not None:
        _describe(args)
        return
    known = datasets.catalogue()
    rows = [
        (name, r.availability, f"{r.rows}", f"{r.features}", percent(r.positives / r.rows), r.target, r.sensitive)
        for name, r in zip(known.index, known.itertuples(), strict=True)
    ]
    print(table(("name", "where", "rows", "features", "positive %", "target", "sensitive"), rows, right=(2, 3, 4)))
    there = f"cached ones are in {datasets.home()} ({datasets.cache.HOME_VARIABLE})"
    print(f"\n{there}; `load` fetches the others, or says how that is done by hand")


def _describe(args: argparse.Namespace) -> None:
    from .. import datasets

    try:
        sheet = datasets.sheet(args.describe, **reading_of(args))
        if args.target is not None and args.target not in sheet.frame.columns:
            raise CommandError(f"--target: there is no column {args.target!r} in {sheet.file}")
        columns = sheet.summary(args.target)
    except ValueError as error:
        raise CommandError(error) from error
    how = "Parquet" if sheet.reading is None else sheet.reading.words
    print(f"{sheet.file}: {len(sheet.frame)} rows, {len(columns)} columns; {how}\n")
    rows = [(one_line(str(name)), *map(one_line, map(str, cells))) for name, *cells in columns.itertuples()]
    print(table(("column", *columns.columns), rows, right=(2, 3)))
    for doubt in sheet.doubts:
        print(f"\n{one_line(doubt)}")


def explain(args: argparse.Namespace) -> None:
    """Say what a term means, or all of them do."""
    from ..glossary import TERMS
    from ..glossary import explain as entry_of

    if not args.term:
        print("\n".join(f"{term.name}: {term.sentence}" for term in sorted(TERMS.values(), key=lambda term: term.name)))
        return
    try:
        print(entry_of(" ".join(args.term)))
    except ValueError as error:
        raise CommandError(f"{error}; `rulelab explain` lists all", 1) from None
