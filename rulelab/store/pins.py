"""Models that were pinned side by side, under the hash of what is known of them."""

from __future__ import annotations

import sqlalchemy as sa

from .database import Database
from .errors import StoreError
from .rows import PINS
from .run import digest, now

LARGEST_PINS = 8_000_000
"""Characters of one set."""
MOST_PINS = 1000
"""Sets that are kept; the oldest make room."""


def put(database: Database, content: str) -> str:
    """Keep a set, and give its hash."""
    if len(content) > LARGEST_PINS:
        raise StoreError(f"the pinned models take {len(content)} characters; at most {LARGEST_PINS} are kept")
    key = digest(content.encode())
    with database.writing() as connection:
        connection.execute(sa.delete(PINS).where(PINS.c.hash == key))
        connection.execute(PINS.insert().values(hash=key, made=now(), content=content))
        late = sa.select(PINS.c.hash).order_by(PINS.c.made.desc()).limit(MOST_PINS)
        connection.execute(sa.delete(PINS).where(PINS.c.hash.not_in(late)))
    return key


def content(database: Database, start: str) -> str:
    """The set whose hash begins so; raises StoreError where there is none, or it is damaged."""
    with database.reading() as connection:
        wanted = PINS.c.hash.startswith(start, autoescape=True)
        found = connection.execute(sa.select(PINS.c.hash, sa.func.length(PINS.c.content)).where(wanted).limit(2)).all()
        if len(found) != 1:
            raise StoreError(f"there are no pinned models {start[:16]!r} here")
        key, length = found[0]
        if not isinstance(length, int) or length > LARGEST_PINS:
            raise StoreError(f"the pinned models {start[:16]!r} are damaged: they take {length} characters")
        text = connection.execute(sa.select(PINS.c.content).where(PINS.c.hash == key)).scalar()
    if not isinstance(text, str) or digest(text.encode("utf-8", "surrogatepass")) != key:
        raise StoreError(f"the pinned models {start[:16]!r} are damaged: they are not what their hash says")
    return text
