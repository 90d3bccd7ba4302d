"""Beats of pages: one in each turn of the loop."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from rulelab.views.live.ticker import in_turn


def test_a_page_is_answered_between_two_beats_that_are_due_at_once() -> None:
    order: list[str] = []

    async def answers() -> None:
        while order.count("beat") < 5:
            order.append("answer")
            await asyncio.sleep(0)

    async def meanwhile() -> None:
        await asyncio.gather(answers(), *(in_turn(lambda: order.append("beat"))() for _ in range(5)))

    asyncio.run(meanwhile())
    assert ("beat", "beat") not in list(itertools.pairwise(order))
    assert order.count("beat") == 5


def test_a_beat_that_fails_or_is_ended_holds_no_other() -> None:
    seen: list[str] = []

    def fail() -> None:
        raise ZeroDivisionError

    async def meanwhile() -> None:
        ticks = [lambda: seen.append("first"), lambda: seen.append("ended"), fail, lambda: seen.append("last")]
        _, ended, failing, last = [asyncio.ensure_future(in_turn(tick)()) for tick in ticks]
        await asyncio.sleep(0)
        ended.cancel()
        with pytest.raises(ZeroDivisionError):
            await failing
        await last

    asyncio.run(meanwhile())
    assert seen == ["first", "last"]
