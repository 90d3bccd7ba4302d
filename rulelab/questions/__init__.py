"""What is asked of a problem, and the engines that answer: one list, which every door goes through."""

from .engine import Engine
from .engines import ENGINES, allows, engine_of, search_for
from .question import ASKING, NEUTRAL, Question, asks_nothing

__all__ = ["ASKING", "ENGINES", "NEUTRAL", "Engine", "Question", "allows", "asks_nothing", "engine_of", "search_for"]
