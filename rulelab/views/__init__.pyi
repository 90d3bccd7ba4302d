"""Where each view is defined, for editors, type checkers and the import on first use."""

from .alternatives.editing import WhatIfView as WhatIfView
from .alternatives.view import AlternativesView as AlternativesView
from .cards.view import ModelCard as ModelCard
from .compare.view import CompareView as CompareView
from .fronts.view import FrontView as FrontView
from .kept_runs.keeping import keep_runs as keep_runs
from .learn.walk import Walk as Walk
from .pages.page import page as page
from .prefixes.tree_view import TreeView as TreeView
from .search.view import SearchView as SearchView
from .serving.server import serve as serve
from .watch import Replay as Replay

__all__: list[str]
