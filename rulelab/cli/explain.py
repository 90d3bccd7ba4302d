"""``rulelab explain`` says what a term means; ``rulelab explain-proof`` how a proof rules out a rule list."""

from __future__ import annotations

import argparse
import difflib
from typing import TYPE_CHECKING, Any

from ..glossary import TERMS
from ..glossary import explain as entry_of
from .output import CommandError, one_line
from .reading import labels
from .verify import NotValid, add_proof, problem_of, read_model, read_proof

if TYPE_CHECKING:
    from ..data.problem import Problem
    from ..datasets import Dataset
    from ..models import RuleList


def explain(args: argparse.Namespace) -> int:
    if not args.term:
        print("\n".join(f"{term.name}: {term.sentence}" for term in sorted(TERMS.values(), key=lambda term: term.name)))
        return 0
    try:
        print(entry_of(" ".join(args.term)))
    except ValueError as error:
        raise CommandError(f"{error}; `rulelab explain` lists all", 1) from None
    return 0


def add_to(commands: Any) -> None:
    text = "Say what a term means, with its formula and the theorem it rests on; without a term list all of them."
    parser = commands.add_parser("explain", help="say what a term means", description=text)
    parser.add_argument("term", nargs="*", metavar="TERM", help="such as lower bound, curiosity or min_support")
    parser.set_defaults(run=explain)


def add_proof_to(commands: Any) -> None:
    text = (
        "Say why a rule list of one's choice is no better than the one that is proven optimal: the lines of the proof "
        "that it comes to, what it has spent by then and what the rest costs at least. The proof is checked first."
    )
    parser = commands.add_parser("explain-proof", help="why a proof rules a list out", description=text)
    add_proof(parser)
    asked = parser.add_argument_group("the list that is asked about")
    asked.add_argument("--list", metavar="FILE", help="a rule list, saved as JSON")
    asked.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="NAME",
        help="or its rules in order, each as the proof's antecedents are named, such as 'age <= 25'; repeatable",
    )
    parser.set_defaults(run=explain_proof)


def explain_proof(args: argparse.Namespace) -> int:
    from ..certificate import CertificateError
    from ..certificate import explain_proof as explained
    from ..models import RuleList

    if (args.list is not None) == bool(args.rule):
        raise CommandError("give the list either as a file, --list FILE, or by its rules, --rule NAME ...")
    certificate, model = read_proof(args.proof), read_model(args.model)
    spoken = certificate.parameters.get("regularization")
    if args.regularization not in (None, spoken):
        raise CommandError(f"the proof is for the regularization {spoken!r}, not {args.regularization!r}", 1)
    try:
        data, problem, encoded = problem_of(args, certificate)
        if args.list:
            asked = _from_file(args.list, problem, data, encoded)
        else:
            asked = RuleList.from_problem(problem, [_index(name, problem) for name in args.rule])
        print("\n".join(map(one_line, str(explained(problem, model, certificate, asked)).splitlines())))
    except (NotValid, CertificateError) as error:
        raise CommandError(error, 1) from None
    except MemoryError:
        raise CommandError("there is not enough memory for this check", 1) from None
    return 0


def _from_file(path: str, problem: Problem, data: Dataset, encoded: bool) -> RuleList:
    """The list of a file over the proof's antecedents, found by name, with its own labels."""
    from ..models import RuleList

    model = read_model(path)
    if not isinstance(model, RuleList):
        raise CommandError(f"{path} holds a {model.family.replace('_', ' ')}; a rule list is asked for")
    known = {str(label): k for k, label in enumerate(problem.classes)}
    if encoded:
        known |= {str(label): k for k, label in enumerate(labels(data))}
    predicted = [str(rule.prediction) for rule in (*model.rules, model.default)]
    if strange := [label for label in predicted if label not in known]:
        raise CommandError(f"{path} predicts {strange[0]!r}, which is no class of the proof ({', '.join(known)})")
    antecedents = [_index(name, problem) for name in model.antecedent_names]
    return RuleList.from_problem(problem, antecedents, [known[label] for label in predicted])


def _index(name: str, problem: Problem) -> int:
    try:
        return problem.names.index(name)
    except ValueError:
        near = difflib.get_close_matches(name, problem.names, n=3, cutoff=0.4)
        hint = f"; near are {', '.join(map(repr, near))}" if near else ""
        raise CommandError(f"the proof has no antecedent {name!r}{hint}") from None
