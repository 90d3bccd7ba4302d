"""From one version of the tables to the next; `database` calls them in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import Connection

from .schema import BOARDS, PINS


def _pins_and_boards(connection: Connection) -> None:
    """Version 2 has two more tables; once these change, what they were is to be written down here."""
    for table in (PINS, BOARDS):
        table.create(connection)


UPWARDS: Mapping[int, Callable[[Connection], None]] = {1: _pins_and_boards}
"""By the version that is moved up by one."""
