"""A term: what it means in a sentence, more of it, its formula, and who has proven it."""

from __future__ import annotations

import html
from dataclasses import dataclass

CORELS = "Angelino, Larus-Stone, Alabi, Seltzer and Rudin, JMLR 18 (2018)"
EARLY = "early draft of the CORELS paper"
FALLING = "Chen and Rudin, AISTATS 2018"
BRCG = "Dash, Günlük and Wei, NeurIPS 2018"
FAIR = "Lawless, Dash, Günlük and Wei, JMLR 24 (2023)"
HARDT = "Hardt, Price and Srebro, NeurIPS 2016"
OWN = "rulelab's own; the proof is in the code's documentation"


@dataclass(frozen=True)
class Term:
    """An entry of the glossary.

    Attributes
    ----------
    name : str
        In lower case; of several meanings the rarer ones have the family behind them, such as "dominance (falling rule
        list)".
    sentence : str
        What it is.
    text : str
        More of it; may be empty.
    formula : str
        In plain text with Unicode signs; may be empty.
    source : str
        Theorem and paper; empty for what needs none.
    see : tuple of str
        Other terms.
    aliases : tuple of str
        Other names, such as those of parameters.
    """

    name: str
    sentence: str
    text: str = ""
    formula: str = ""
    source: str = ""
    see: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"{self.name}: {self.sentence}"]
        parts += [self.text] if self.text else []
        parts += [f"    {self.formula}"] if self.formula else []
        parts += [f"Source: {self.source}."] if self.source else []
        parts += [f"See also: {', '.join(self.see)}."] if self.see else []
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        first, *more = str(self).split("\n")
        name, said = html.escape(first).split(":", 1)
        return f"<p><b>{name}</b>:{said}</p>" + "".join(f"<p>{html.escape(line)}</p>" for line in more)
