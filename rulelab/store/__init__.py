"""Runs that last: settings, outcome, curve, recording, model and proof of each, in a database.

By default it is one SQLite file in the user's data folder; other databases are named by a URL of SQLAlchemy. What is
read from it is checked as a file from anywhere would be.
"""

from ..arguments import StoreError
from .boards import BoardEntry
from .bundle import LARGEST_BUNDLE
from .database import HOME_VARIABLE, NOTHING, default_url, home
from .kept_table import KeptTable, data_hash
from .run import DELETED_DAYS, Run
from .store import Store
from .store import open_store as open  # noqa: A004 - as in `gzip.open`

__all__ = [
    "DELETED_DAYS", "HOME_VARIABLE", "LARGEST_BUNDLE", "NOTHING", "BoardEntry", "KeptTable", "Run", "Store",
    "StoreError", "data_hash", "default_url", "home", "open",
]  # fmt: skip
