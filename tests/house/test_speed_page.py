"""What the book says of speed is what its commands print: one claim, one number."""

from pathlib import Path

import pytest
from speed_page import PAGE, cells, differences, printed, tables

TABLES = tables()


def test_every_table_of_the_page_has_its_command() -> None:
    assert PAGE.read_text(encoding="utf-8").count("\n|---") == len(TABLES) > 5


@pytest.mark.long
@pytest.mark.parametrize("command", TABLES)
def test_the_page_says_what_its_command_prints(command: str, shared: Path) -> None:
    head, _, *rows = (cells(line) for line in TABLES[command])
    assert rows
    for _ in range(2):  # what a busy moment has slowed is not slow once more
        found = differences(head, rows, printed(command, head, "--repeats", "1"))
        if not found:
            break
    assert found == []


def test_another_number_and_another_ratio_are_told() -> None:
    head = ["data", "user s", "H"]
    book = [["a", "1.00", "5"], ["b", "2.00", "6"], ["c", "4.00", "7"]]
    assert differences(head, book, [["a", "2.1", "5"], ["b", "3.9", "6"], ["c", "8.4", "7"]]) == []
    assert differences(head, book, [["a", "1.00", "5"], ["b", "2.00", "6"], ["c", "4.00", "8"]]) == ["H: 7, now 8"]
    slower = differences(head, book, [["a", "9.00", "5"], ["b", "2.00", "6"], ["c", "4.00", "7"]])
    assert slower == ["user s: 1.0, now 9.0, where others take 1.00 times as long"]
    assert differences(head, book, book[:2]) == ["3 rows, not 2"]
