"""``rulelab examples``: the notebooks and benchmarks, copied to a folder of one's own."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .output import CommandError, say, table

_PACKAGE = Path(__file__).resolve().parents[1]
FOLDERS = {
    "notebooks": (_PACKAGE.parent / "notebooks", _PACKAGE / "_examples" / "notebooks"),
    "benchmarks": (_PACKAGE.parent / "tests" / "benchmarks", _PACKAGE / "_examples" / "benchmarks"),
}
"""Where they are in a checkout, and in an installed copy."""


def folder_of(name: str) -> Path | None:
    """Where the notebooks or the benchmarks are; None where they were not installed."""
    return next((folder for folder in FOLDERS[name] if folder.is_dir()), None)


def examples(args: argparse.Namespace) -> int:
    """Run the command; the exit status."""
    source = folder_of("notebooks")
    if source is None:
        raise CommandError("the notebooks were not installed with this copy of rulelab: install the wheel again", 1)
    notebooks = sorted(source.glob("*.ipynb"))
    if args.list:
        print(table(("notebook", "what it is about"), [(path.name, title_of(path)) for path in notebooks], right=()))
        return 0
    target = Path(args.folder)
    wanted = [(path, target / path.relative_to(source.parent)) for path in notebooks]
    benchmarks = folder_of("benchmarks")
    if args.benchmarks and benchmarks is not None:
        wanted += [(path, target / "benchmarks" / path.name) for path in sorted(benchmarks.glob("*.py"))]
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
    return next(_headings(json.loads(path.read_text(encoding="utf-8"))), path.stem)


def _headings(notebook: dict[str, Any]) -> Iterator[str]:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            yield from (line[2:].strip() for line in "".join(cell["source"]).splitlines() if line.startswith("# "))


def add_to(commands: Any) -> None:
    """Add the command."""
    text = "Copy the notebooks to a folder of your own."
    parser = commands.add_parser("examples", help="copy the notebooks to a folder", description=text)
    parser.add_argument(
        "folder", nargs="?", default="rulelab-examples", metavar="FOLDER", help="(default: %(default)s)"
    )
    parser.add_argument("--list", action="store_true", help="instead: say what there is")
    parser.add_argument("--benchmarks", action="store_true", help="the scripts of `rulelab bench`, too")
    parser.add_argument("--overwrite", action="store_true", help="replace files of the same names")
    parser.set_defaults(run=examples)
