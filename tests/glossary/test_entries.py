"""The files of the glossary: what is not written as entries are is refused, with its file and line."""

import re
from pathlib import Path

import pytest

from rulelab.glossary import ProseError, Term
from rulelab.glossary.entries import read, read_files

PAPERS = {"OWN": "one's own", "OLD": "an old paper"}
ENTRY = Path(__file__).with_name("entry.md").read_text(encoding="utf-8")


def read_one(text: str) -> list[Term]:
    return [term for _, term in read("rules.md", text, PAPERS)]


def test_an_entry_has_all_its_parts() -> None:
    see, also = ("list", "rule set (all, or any)"), ("rules",)
    source = "Thm 1, an old paper; one's own"
    assert read_one(ENTRY) == [Term("rule", "What holds of rows.", "More of it.", "a  ≤ b", source, see, also)]


def test_a_sentence_is_enough_and_entries_know_their_lines() -> None:
    found = list(read("rules.md", "# Title\n\n## a\n\nFirst.\n\n\n## b\n\nSecond.\n", PAPERS))
    assert found == [(3, Term("a", "First.")), (8, Term("b", "Second."))]
    assert read_one("") == read_one("# Title only\n") == []


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("## rule\n\n", ""), 1, ""),
        (("## rule\n\nWhat holds\nof rows.\n\nMore of it.", "## rule"), 3, ""),
        (("## rule\n\nWhat", "## rule\nWhat"), 3, ""),
        (("## rule\n", "## \n"), 3, ""),
        (("More of it.", "More of it.\n\nAnd more."), 3, ""),
        (("    a  ≤ b", "    a  ≤ b\n    c"), 3, ""),
        (("    a  ≤ b", "    a  ≤ b\n\n    c"), 3, ""),
        (("    a  ≤ b\n", "    a  ≤ b\n\nText.\n"), 3, ""),
        (("- source: Thm 1,", "- sources: Thm 1,"), 3, ""),
        (("- see: list", "- see list"), 3, ""),
        (("- also: rules", "- see: rules"), 3, ""),
        (("- also: rules", "also: rules"), 3, ""),
        (("[OLD]", "[NEW]"), 3, "papers.md does not know NEW"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(change: tuple[str, str], line: int, message: str) -> None:
    text = ENTRY.replace(*change)
    assert text != ENTRY
    with pytest.raises(ProseError, match=re.escape(f"rules.md, line {line}: {message or 'an entry is'}")):
        read_one(text)


def test_no_name_has_two_entries_not_even_in_two_files(tmp_path: Path) -> None:
    (tmp_path / "papers.md").write_text("# Papers\n\n[OLD]: an old paper\n[OWN]: one's own\n", encoding="utf-8")
    for file in ("one.md", "two.md"):
        (tmp_path / file).write_text(ENTRY, encoding="utf-8")
    assert list(read_files(tmp_path, ("one.md",))) == ["rule"]
    with pytest.raises(ProseError, match=r"^two\.md, line 3: there is an entry 'rule' already$"):
        read_files(tmp_path, ("one.md", "two.md"))
