"""The published schema of saved models."""

from __future__ import annotations

from pathlib import Path

PATH = Path(__file__).with_name("schema.json")


def json_schema() -> str:
    """The JSON Schema (draft 2020-12) of what `Model.to_json` writes, as text."""
    return PATH.read_text(encoding="utf-8")
