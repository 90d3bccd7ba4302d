"""The limits that hold by default, for estimators, the command line, sweeps and the page: every call ends.

They are lifted with None, on the command line with ``none``. The searches themselves, such as `rulelab.RuleListSearch`,
have none: whoever drains their steps decides.
"""

from __future__ import annotations

TIME_LIMIT = 40.0
"""Seconds of search."""

MEMORY_LIMIT = 1_000_000_000
"""Bytes that a search may take."""

MAX_ANTECEDENTS = 1_000
"""Most antecedents to choose rules from; where conjunctions are more, those of fewer conditions are taken.

With more of them hardly any search ends with a proof within the time."""
