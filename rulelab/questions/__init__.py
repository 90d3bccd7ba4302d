"""What is asked of a problem, and the engines that answer: one list, which every door goes through."""

from .engines import ASKING, ENGINES, NEUTRAL, Engine, Question, allows, asks_nothing, engine_of, search_for

__all__ = ["ASKING", "ENGINES", "NEUTRAL", "Engine", "Question", "allows", "asks_nothing", "engine_of", "search_for"]
