"""What if a model were another one, or a person: models changed by hand, and what would flip a decision."""

from .bench import Bench, Change, EditedList, EditedSet
from .lists import FallingBench, RuleListBench
from .person import Decision, Flip, Values, decide, flip_in_all
from .sets import RuleSetBench
