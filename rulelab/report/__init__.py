"""What is to be said of a model: what is found, what is proven of it, and what is to be doubted."""

from .known import DOUBTS, TITLE, Doubt, Known, doubted, doubts
from .report import Report, report
from .verdict import Front, Near, Verdict, Withstood, front, rule_list_front
