"""Scripts and style sheets: they are files, each is used and can be read, and functions in scripts do what they say."""

import ast
import re
import subprocess
from itertools import accumulate
from pathlib import Path

import pytest
from patience import PATIENCE
from places import TESTS
from structure import PACKAGE, modules

from rulelab.assets import FOLDER
from rulelab.views.widgets.style import sheet

SCRIPTS, SHEETS = (sorted(FOLDER.glob(f"*.{kind}")) for kind in ("js", "css"))
_CODE = re.compile(r"=> \{|\bfunction \w*\(|^\s*const \w+ = |^[^{}\n]*\{[^{}\n]*;", re.MULTILINE)
_MOST_LINES = 2


def run(*command: str | Path, given: str = "") -> list[str]:
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def strings(source: str) -> list[str]:
    """Texts in Python code that are no docstrings; of those with values in them, what stands around these."""
    tree = ast.parse(source)
    others = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    found = []
    for each in ast.walk(tree):  # from outside in
        if isinstance(each, ast.JoinedStr):
            others |= {id(part) for part in each.values}
            found.append("".join(part.value for part in each.values if isinstance(part, ast.Constant)))
        elif isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in others:
            found.append(each.value)
    return found


def written_in(source: str) -> list[str]:
    """Scripts and sheets of several lines that stand in Python."""
    return [text for text in strings(source) if text.count("\n") > _MOST_LINES and _CODE.search(text)]


def test_no_script_and_no_sheet_stands_in_python() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}: {text[:60]!r}"
        for path in modules()
        if path.parts[len(PACKAGE.parts)] in ("views", "plots")
        for text in written_in(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("source", "is_one"),
    [
        ('X = """\nexport function render({ model }) {\n  return 1\n}\n"""', True),
        ('X = """\nconst a = 1\nconst b = 2\nconst c = 3\n"""', True),
        ('X = f"""\np {{ margin: 0; }}\nb {{ color: {Y}; }}\ni {{ top: 0; }}\n"""', True),
        ('X = "p { margin: 0; }"', False),
        ('def f():\n    """Functions.\n\n    a: {b; c}\n    d\n    """', False),
        ('X = "What a function does {\\n\\n\\nit says}"', False),
    ],
)
def test_what_stands_in_python_is_seen(source: str, is_one: bool) -> None:
    assert bool(written_in(source)) is is_one


@pytest.mark.long
def test_every_file_is_used() -> None:
    named = {text for path in modules() for text in strings(path.read_text(encoding="utf-8"))}
    for template in FOLDER.glob("*.html"):  # a template takes its macros from another
        named |= set(re.findall(r'{% (?:from|import|include|extends) "([^"]+)"', template.read_text(encoding="utf-8")))
    unused = {path.name for path in FOLDER.iterdir() if path.suffix in (".js", ".css", ".html")} - named
    assert not unused


def test_sheets_are_whole() -> None:
    """Every variable has a meaning, every brace its other half, and no line is left over."""
    for path in SHEETS:
        text = re.sub(r'"[^"]*"', '""', sheet(path.name))
        assert "$" not in text, path
        depth = [0, *accumulate(1 if sign == "{" else -1 for sign in re.findall(r"[{}]", text))]
        assert (min(depth), depth[-1], text[-2:]) == (0, 0, "}\n"), path


def read_all(node: str, *paths: Path) -> None:
    """Read scripts as modules, which is how browsers get nearly all of them, in one process."""
    read = "const vm = require('vm'), fs = require('fs'); for (const f of process.argv.slice(1)) "
    read += "new vm.SourceTextModule(fs.readFileSync(f, 'utf8'), { identifier: f })"
    run(node, "--experimental-vm-modules", "-e", read, *paths)


def test_scripts_can_be_read_and_one_that_is_wrong_is_seen(node: str, tmp_path: Path) -> None:
    read_all(node, *SCRIPTS, *(TESTS / "ui" / "scripts").glob("*.js"))
    wrong = tmp_path / "wrong.mjs"
    wrong.write_text("export function render({ model }) { return (}\n")
    with pytest.raises(AssertionError, match="SyntaxError"):
        read_all(node, wrong)


@pytest.mark.long
def test_functions_of_scripts(node: str) -> None:
    files = sorted((TESTS / "assets").glob("*.test.mjs"))
    assert len(files) >= 3
    run(node, "--test", *files)
