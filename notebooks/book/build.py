"""Builds the book: ``python notebooks/book/build.py [FOLDER]``, by default into ``build/book``.

The pages that are not written by hand are made here: the glossary and the API reference of the package, and the gallery
by running its examples. The notebooks are shown without their results, or with them by ``--execute``, which runs those
that have changed since the last time. Nothing is fetched from a network, neither now nor by the pages.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT)]


def write_source(source: Path) -> None:
    """Everything that Sphinx reads, in one folder."""
    import generated
    from gallery import write_gallery

    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(HERE, source, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    shutil.copy(HERE / "conf.py", source)
    (source / "tour").mkdir()
    for path in sorted(HERE.parent.glob("*.ipynb")):
        shutil.copy(path, source / "tour")
    shutil.copy(HERE.parent / "architecture.svg", source)
    generated.write_tour(source / "tour")
    generated.write_glossary(source)
    generated.write_reference(source / "api")
    write_gallery(source / "gallery")


def main() -> int:
    """Build; the exit status."""
    parser = argparse.ArgumentParser(description="Build the book of rulelab.")
    parser.add_argument("folder", nargs="?", default="build/book", type=Path, help="(default: %(default)s)")
    parser.add_argument("--execute", action="store_true", help="run the notebooks and show their results")
    args = parser.parse_args()
    folder = args.folder.resolve()
    write_source(folder / "source")
    if args.execute:
        os.environ["RULELAB_BOOK_EXECUTE"] = "1"
    from sphinx.cmd.build import main as sphinx

    status = sphinx(["-q", "-W", "--keep-going", "-b", "html", str(folder / "source"), str(folder / "html")])
    if status == 0:
        print(f"the book: {folder / 'html' / 'index.html'}")
    return int(status)


if __name__ == "__main__":
    raise SystemExit(main())
