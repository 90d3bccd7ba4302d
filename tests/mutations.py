"""Breaks one bound, lemma, price, rounding or message after the other, and says which of them no test sees.

``python tests/mutations.py [WORD ...]`` runs those whose names hold one of the words, or all; ``--list`` names them.
Each is made in a copy of the project, and the tests that are named for it have to fail there. By hand: it takes some
twenty minutes.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import NamedTuple

from places import ROOT


class Mutant(NamedTuple):
    """What is broken, in which file, by which text in place of which, and the tests that have to see it."""

    name: str
    file: str
    text: str
    wrong: str
    tests: str


MUTANTS = [Mutant(**each) for each in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["mutant"]]


def fails(copy: Path, names: str) -> bool:
    """Whether one of these tests fails in the copy."""
    tests = [str(path) for name in names.split() for path in copy.glob(f"tests/**/{name}.py")]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=copy, env=os.environ | {"PYTHONPATH": str(copy)}, capture_output=True)
    assert done.returncode in (0, 1), done.stdout.decode()[-2000:]
    return done.returncode == 1


def is_seen(mutant: Mutant, copy: Path) -> bool:
    """Whether a test fails when the copy has this fault; the copy is as before afterwards."""
    path = copy / "rulelab" / mutant.file
    right = path.read_text(encoding="utf-8")
    assert right.count(mutant.text) == 1, (
        f"{mutant.name}: {mutant.file} holds the text {right.count(mutant.text)} times"
    )
    path.write_text(right.replace(mutant.text, mutant.wrong), encoding="utf-8")
    try:
        return fails(copy, mutant.tests)
    finally:
        path.write_text(right, encoding="utf-8")


def main() -> int:
    """Run them; status 1 when one is not seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", metavar="WORD", help="run those whose names hold one of these")
    parser.add_argument("--list", action="store_true", help="name them, and run none")
    asked = parser.parse_args()
    mutants = [each for each in MUTANTS if not asked.words or any(word in each.name for word in asked.words)]
    if asked.list:
        print(*(each.name for each in mutants), sep="\n")  # noqa: T201
        return 0
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv"))
        names = {name for each in mutants for name in each.tests.split()}
        assert not fails(copy, " ".join(sorted(names))), "a test fails without any fault"
        for mutant in mutants:
            seen = is_seen(mutant, copy)
            missed += not seen
            print("seen  " if seen else "MISSED", mutant.name, flush=True)  # noqa: T201
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
