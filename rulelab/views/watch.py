"""Searches to watch outside of the page: that for the model of a table, and one that was recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..arguments import ParameterError
from ..data.metrics import group_labels
from ..datasets import Dataset
from ..families import FAMILIES
from ..fitting import chosen
from ..recording import Recording
from .live.recipe import PageRecipe
from .live.recorded import RecordedSession
from .live.session import SearchSession
from .live.state import Limits
from .search.families import look_for, look_of_recorded
from .search.view import SearchView


def watch(
    data: Any,
    target: str | None = None,
    model: str = "rule_list",
    *,
    positive: Any = None,
    sensitive: str | None = None,
    weight: str | None = None,
    **parameters: Any,
) -> SearchView:
    """Watch the search for the optimal model of a table: `rulelab.fit` with everything to be seen.

    Parameters
    ----------
    data, target, model, positive, sensitive, weight
        As of `rulelab.fit`.
    **parameters
        Of the classifier, such as ``regularization``; all but ``class_weight``.

    Returns
    -------
    SearchView
        Its search runs by itself. ``view.model`` and ``view.snapshot`` are the best model and the state so far.

    Raises
    ------
    ValueError
        When the data, or an argument, are unusable.

    Examples
    --------
    In a notebook, or in a file that ``panel serve`` serves::

        rl.watch("people.csv", "paid", regularization=0.02).servable()
    """
    classifier, table = chosen(data, target, model, positive, sensitive, weight, parameters)
    if classifier.class_weight is not None:
        raise ParameterError("class_weight", classifier.class_weight, "None to watch; rl.fit takes it")
    family, given = FAMILIES[model], classifier.get_params()
    asked = {each.name: given[each.name] for each in family.parameters}
    table, groups = _with_one_column_of_groups(table)
    if asked.get("fairness") is not None and groups is None:
        raise ParameterError("sensitive", sensitive, "the column of groups that fairness compares")
    more = {name: given[name] for name in ("random_state", *(["n_jobs"] if family.threads else []))}
    recipe = PageRecipe(family, asked, lambda: table, sensitive=groups, more=more)
    recipe.check(table.X.columns)
    recipe.smallest(**more)
    limits, look = Limits(classifier.time_limit, classifier.gap), look_for(model, {**family.defaults, **asked})
    view = SearchView(new_session=lambda: SearchSession(recipe, limits, look=look))
    view.run()
    return view


def _with_one_column_of_groups(table: Dataset) -> tuple[Dataset, str | None]:
    """The data with all sensitive columns joined to one, and its name; None where there is none."""
    if table.sensitive is None:
        return table, None
    name = ", ".join(map(str, table.sensitive.columns))
    return replace(table, sensitive=pd.DataFrame({name: group_labels(table.sensitive, len(table.y))})), name


class Replay(SearchView):
    """A run from a file, to be played and looked at; no search and no data are needed.

    Parameters
    ----------
    file : str, Path or Recording
        What `rulelab.Recording.save`, ``rulelab fit --record`` or the page has written.

    Attributes
    ----------
    recording : Recording

    Raises
    ------
    RecordingError
        When the file is no recording, or damaged.
    ValueError
        When nothing was recorded.

    Examples
    --------
    In a notebook::

        rl.views.Replay("run.rulelab")
    """

    def __init__(self, file: str | Path | Recording, **params: Any) -> None:
        self.recording = file if isinstance(file, Recording) else Recording.load(file)
        name = "recording" if isinstance(file, Recording) else Path(file).name
        look = look_of_recorded(self.recording)
        super().__init__(new_session=lambda: RecordedSession(self.recording, name, look), **params)
        self._controls.hide("speed")
        self.runs_box.field.visible = False

    def run(self, *_: Any) -> None:
        """Nothing: there is no search."""

    step = stop = reset = ablate = run
