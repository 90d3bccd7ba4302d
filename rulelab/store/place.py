"""Where runs are kept when nobody says it."""

from __future__ import annotations

import os
from pathlib import Path

HOME_VARIABLE = "RULELAB_HOME"
NOTHING = "none"
"""In the place of a URL: nothing is kept."""
FILE = "runs.sqlite"


def home() -> Path:
    """The folder of what is kept: $RULELAB_HOME, else the user's data folder of the platform."""
    folder = os.environ.get(HOME_VARIABLE)
    if folder:
        return Path(folder).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("rulelab", appauthor=False))


def default_url() -> str:
    """The path of the default file, which need not be there."""
    return str(home() / FILE)
