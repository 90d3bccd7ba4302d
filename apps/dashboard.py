"""The page for ``panel serve``; with RULELAB_STORE, a SQLite file or a URL, runs are kept there for all who connect."""

import os

import panel as pn

import rulelab as rl

place = os.environ.get("RULELAB_STORE")
if place:
    pn.state.as_cached("store", lambda: rl.views.keep_runs(rl.store.open(place)))  # once for all visitors
rl.views.page().servable()
