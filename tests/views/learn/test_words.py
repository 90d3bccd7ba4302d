"""The files of the walks: what is not written as it is read is refused, with its file and line."""

import re
from pathlib import Path

import pytest

from rulelab.glossary import ProseError
from rulelab.views.learn.plan import Plan, Seen, Step, plan

WALK = Path(__file__).with_name("walk.md").read_text(encoding="utf-8")
SETTINGS = {"family": "rule_list", "data": "diabetes", "parameters": {}, "speed": "full speed"}


def walk(folder: Path, text: str) -> Plan:
    path = folder / "walk.md"
    path.write_text(text, encoding="utf-8")
    never, made = Step(lambda seen: False), Step(lambda seen: True, lambda seen: {"n": "7"}, chooses=True)
    return plan(str(path), [never, made], **SETTINGS)


def test_a_walk_is_texts_of_a_file_and_what_python_knows(tmp_path: Path) -> None:
    found = walk(tmp_path, WALK)
    assert (found.name, found.about, found.family) == ("two steps", "How it goes.", "rule_list")
    first, second = found.steps
    assert (first.text, first.look_at) == ("What there is to see.", "status")
    assert (first.do, first.question, first.answer, first.chooses) == ("Press Step.", "Why?", "Because.", False)
    assert (second.look_at, second.chooses) == ("prefixes cut, by bound", True)
    assert second.answer.format(**second.figures(Seen())) == "They are 7."


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("# two steps\n\n", ""), 1, "a file begins with '# '"),
        (("How it goes.\n\n", ""), 1, "'two steps' needs the paragraphs sentence"),
        (("**Answer:** Because.\n\n", ""), 5, "needs the paragraphs text, Do, Question, Answer"),
        (("**Do:** Press Run.", "Press Run."), 16, "needs the paragraphs text, Do, Question"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(tmp_path: Path, change: tuple[str, str], line: int, message: str):
    with pytest.raises(ProseError, match=re.escape(f"walk.md, line {line}: ") + ".*" + re.escape(message)):
        walk(tmp_path, WALK.replace(*change))
