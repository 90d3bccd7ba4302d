"""Whether no words lie on others, and none are cut off."""

from typing import Any

from visits import script

WORDS = script("words")
_BROKEN = script("broken_words")
_WRITE = script("write_over")


def words_are_clear(page: Any) -> None:
    """Look at all words within the window, but for those that are painted in plots."""
    found = page.evaluate(WORDS)
    assert found["looked"] > 10
    assert found["pairs"] == [], f"words lie on others: {found['pairs']}"
    assert found["clipped"] == [], f"words are cut off: {found['clipped']}"


def broken_words(page: Any, within: str, a_word: str) -> tuple[int, list[str]]:
    """How many words stand in some elements, and which of them are broken."""
    return page.evaluate(_BROKEN, [within, a_word])


def unclear_words_are_found(page: Any, x: float, y: float) -> None:
    """Write something over the words at a place, and into too small a box: it is noticed."""
    for style, kind in ((f"left: {x}px; top: {y}px", "pairs"), ("top: 0; width: 20px; overflow: hidden", "clipped")):
        words = page.evaluate_handle(_WRITE, style)
        assert page.evaluate(WORDS)[kind], f"this was not noticed: {kind}"
        words.evaluate("e => e.remove()")
