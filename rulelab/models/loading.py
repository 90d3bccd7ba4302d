"""Saved models of any family, and the published schema of them."""

from __future__ import annotations

import os
from pathlib import Path

from ..arguments import ModelError
from . import serialisation
from .base import Model
from .multiclass import MultiClassRuleList


def load_model(path: str | Path) -> Model | MultiClassRuleList:
    """Read a model saved by ``save(path)``, of any family and number of classes.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    ModelError
        When the file is no model, malformed, or of a newer schema; the message names the entry.
    OSError
        When the file cannot be read.
    """
    if not isinstance(path, str | os.PathLike):
        raise ModelError(f"a model is loaded from the path of a file, not from {type(path).__name__}")
    with Path(path).open("rb") as stream:
        return parse_any_model(stream.read(serialisation.LARGEST_TEXT + 1))


def parse_model(text: str | bytes) -> Model:
    """A model of two classes, of any family, from its JSON text (UTF-8 when bytes); raises ModelError."""
    model = parse_any_model(text)
    if isinstance(model, MultiClassRuleList):
        raise ModelError("the saved model is a list of several classes, where models of two classes are taken")
    return model


def parse_any_model(text: str | bytes) -> Model | MultiClassRuleList:
    """A model of any family and number of classes from its JSON text (UTF-8 when bytes); raises ModelError."""
    data = serialisation.parse(text)
    family = serialisation.check_header(data)
    if family == MultiClassRuleList.family:
        return MultiClassRuleList.from_dict(data)
    if family not in Model.families:
        known = ", ".join(map(repr, (*Model.families, MultiClassRuleList.family)))
        raise ModelError(f"the saved model is of the unknown family {family!r}; this version of rulelab reads {known}")
    return Model.families[family].from_dict(data)


_SCHEMA = Path(__file__).with_name("schema.json")


def json_schema() -> str:
    """The JSON Schema (draft 2020-12) of what `Model.to_json` writes, as text."""
    return _SCHEMA.read_text(encoding="utf-8")
