"""``rulelab examples`` copies the notebooks and benchmarks; ``rulelab papers`` makes the papers' figures again."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from .options import add_options
from .output import CommandError, say, table

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


def examples(args: argparse.Namespace) -> int:
    source = folder_of("notebooks")
    if source is None:
        raise CommandError("the notebooks were not installed with this copy of rulelab: install the wheel again", 1)
    notebooks = sorted(source.glob("*.ipynb"))
    if args.list:
        print(table(("notebook", "what it is about"), [(path.name, title_of(path)) for path in notebooks], right=()))
        return 0
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
    return 0


def title_of(path: Path) -> str:
    """The heading of a notebook; its name where it has none."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    lines = "".join("".join(cell["source"]) + "\n" for cell in cells if cell["cell_type"] == "markdown").splitlines()
    return next((line[2:].strip() for line in lines if line.startswith("# ")), path.stem)


def add_to(commands: Any) -> None:
    text = "Copy the notebooks to a folder of your own."
    parser = commands.add_parser("examples", help="copy the notebooks to a folder", description=text)
    add_options(parser, "examples")
    parser.set_defaults(run=examples)
    what = "Make the figures and tables of the papers again; the authors' numbers stand beside ours."
    parser = commands.add_parser("papers", help="make the figures of the papers again", description=what)
    add_options(parser, "papers")
    parser.set_defaults(run=papers)


def papers(args: argparse.Namespace) -> int:
    from ..papers import figures, write
    from ..papers.page import cells, numeric

    known = figures()
    if unknown := [name for name in args.names if name not in known]:
        raise CommandError(f"no figure is called {unknown[0]!r}; there are {', '.join(known)}")
    if args.list:
        print(
            table(("name", "what", "paper"), [(each.name, each.what, each.paper) for each in known.values()], right=())
        )
        return 0
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
    return 0
