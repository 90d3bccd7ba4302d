"""Saved models and proofs: ``rulelab verify`` checks a proof on the data file, from raw columns; ``explain-proof`` says
what one rules out; ``export`` writes a model in other languages, ``schema`` says what a saved model looks like.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable
from typing import Any

from .. import datasets
from ..certificate import Certificate, CertificateError, MultiClassCertificate, Origin, OriginError, Verification
from ..certificate import explain_proof as explained
from ..certificate import verify as check
from ..data.columns import listed
from ..data.problem import Problem
from ..datasets import Dataset
from ..families import FAMILIES, least_gap
from ..families.wording import adding_up, count, restricted
from ..models import Model, ModelError, MultiClassRuleList, RuleList, json_schema, load_model
from .options import reading_of
from .output import CommandError, bad_input, is_data_set, one_line, reading, save
from .reading import classes_of, file_data, is_counted, labels, recount, target_of


class NotValid(Exception):  # noqa: N818 - it is an answer
    """The proof says nothing about these data; the message is the reason."""


_AS_FITTED = "; for the same rows give what `rulelab fit` was given, such as --test-share and --key"


def verify(args: argparse.Namespace) -> int:
    certificate, model = read_proof(args.proof), read_any_model(args.model)
    check_it: Any = _check_classes if isinstance(model, MultiClassRuleList) else _check
    try:
        status, lines = check_it(args, certificate, model)
    except NotValid as reason:
        status, lines = 1, [f"not valid: {reason}"]
    except MemoryError:
        raise CommandError("there is not enough memory for this check", 1) from None
    print("\n".join(map(one_line, lines)))
    return status


def read_proof(path: str) -> Certificate:
    try:
        with reading(path):
            return Certificate.load(path)
    except CertificateError as error:
        raise CommandError(f"{path}: {error}", 1) from error


def read_any_model(path: str) -> Model | MultiClassRuleList:
    try:
        with reading(path):
            return load_model(path)
    except ModelError as error:
        raise CommandError(f"{path}: {error}", 1) from error


def read_model(path: str) -> Model:
    """A model of two classes."""
    model = read_any_model(path)
    if not isinstance(model, Model):
        raise CommandError(f"{path} holds a list of several classes, where a model of two classes is asked for")
    return model


def _check(args: argparse.Namespace, certificate: Certificate, model: Model) -> tuple[int, list[str]]:
    """The exit status, and what was proven and what was checked, in lines."""
    data, problem, encoded = problem_of(args, certificate)
    answer = check(problem, model, certificate, args.regularization)
    if answer.state != "bound" and not answer:
        raise NotValid(answer.reason + ("" if problem.fingerprint == certificate.fingerprint else _AS_FITTED))
    assert certificate.origin is not None
    return _report(data, certificate.origin, model, answer, encoded, problem.n_rows)


def _check_classes(
    args: argparse.Namespace, certificate: Certificate, model: MultiClassRuleList
) -> tuple[int, list[str]]:
    """As `_check`, of a list of several classes."""
    try:
        proof = MultiClassCertificate.of(certificate)
    except CertificateError as error:
        raise NotValid(f"the model is a list of several classes: {error}") from error
    origin = _origin(args, certificate)
    if args.positive is not None or args.sensitive or is_counted(args) or is_data_set(args.data):
        raise CommandError(
            f"{args.proof} is of several classes: it takes a file, without --positive, --sensitive or counts"
        )
    target = target_of(args, origin)
    if target != (origin.target or target):
        raise NotValid(f"the proof is about the target {origin.target!r}, not {target!r}")
    with bad_input():
        sheet = datasets.sheet(args.data, **reading_of(args))
        found, some = classes_of(sheet, target)
        data = file_data(args, sheet, target, some, keep_sensitive=True, unknown="negative")
    _check_columns(args, data, origin)
    with bad_input():
        try:
            answer = check(origin.problem_of_classes(data.X, found), model, proof, args.regularization)
        except OriginError as error:
            raise NotValid(str(error)) from error
    if not answer:
        raise NotValid(answer.reason)
    return 0, [
        f"valid: this rule list is optimal for {data.name}, target {data.target}, at regularization "
        f"{proof.regularization!r}",
        f"objective {answer.objective:.7f} = {model.errors} errors / {model.weight} rows "
        f"+ {proof.regularization!r} x {count(len(model), 'rule')}, of {len(model.classes)} classes",
        f"no rule list made of the proof's {len(origin.names)} antecedents has less; they join up to "
        f"{count(max(map(len, origin.conditions)), 'condition')} on {_listed(origin.columns)}",
        f"checked: {count(answer.checked['sets'], 'set')}; {answer.seconds:.2f} s",
    ]


def _origin(args: argparse.Namespace, certificate: Certificate) -> Origin:
    origin = certificate.origin
    if origin is None:
        raise CommandError(
            f"{args.proof} lacks the conditions of the antecedents: its problem was made of an array, not of a table; "
            "check it in Python with rulelab.verify(problem, model, certificate)"
        )
    return origin


def problem_of(args: argparse.Namespace, certificate: Certificate) -> tuple[Dataset, Problem, bool]:
    """The data, the problem that a proof speaks of, and whether it says 1 and 0 for labels of the data."""
    origin = _origin(args, certificate)
    data = _read_data(args, origin)
    encoded = _check_labels(data, origin)
    _check_columns(args, data, origin)
    compares = certificate.compares_groups
    if compares and data.sensitive is None:
        raise CommandError(f"{args.proof} compares groups: name the sensitive attribute with --sensitive")
    try:
        return data, origin.problem(data.X, data.y, data.sensitive if compares else None, data.weight), encoded
    except OriginError as error:
        raise NotValid(str(error)) from error


def _read_data(args: argparse.Namespace, origin: Origin) -> Dataset:
    """The rows with every column as a feature, sensitive ones too, and the target as the proof has it."""
    named = is_data_set(args.data)
    if named and (args.target is not None or args.positive is not None):
        raise CommandError(f"{args.data} is a known data set: leave --target and --positive out")
    if named and args.sensitive:
        raise CommandError(f"{args.data} is a known data set: leave --sensitive out")
    positive = origin.classes[1] if args.positive is None and not _is_encoded(origin) else args.positive
    with bad_input():
        if is_counted(args):
            data = recount(args, origin, positive).dataset()
        elif named:
            data = datasets.load(args.data, keep_sensitive=True)
        else:
            target = target_of(args, origin)
            data = file_data(args, datasets.sheet(args.data, **reading_of(args)), target, positive, keep_sensitive=True)
    if origin.target is not None and data.target != origin.target:
        raise NotValid(f"the proof is about the target {origin.target!r}, not {data.target!r}")
    return data


def _is_encoded(origin: Origin) -> bool:
    """Whether the classes may be those of `Dataset.y`: 1 for the positive label, whatever it is, and 0."""
    return tuple(origin.classes) == (0, 1)


def _check_labels(data: Dataset, origin: Origin) -> bool:
    """Whether the proof says 1 and 0 for other labels, of which none may look like these; refuses other classes."""
    found = labels(data)
    if tuple(origin.classes) == found:
        return False
    if _is_encoded(origin) and not any(str(label) in ("0", "1") or label in (0, 1) for label in found):
        return True
    raise NotValid(
        f"the proof is about the classes {origin.classes[0]!r} and {origin.classes[1]!r}, "
        f"but the target {data.target!r} has {found[0]!r} and {found[1]!r}"
    )


def _check_columns(args: argparse.Namespace, data: Dataset, origin: Origin) -> None:
    missing = [column for column in origin.columns if column not in data.X.columns]
    if data.target in missing:
        raise NotValid(f"the proof has a condition on the target {data.target!r} itself")
    if missing:
        raise CommandError(f"{args.data} has no column {listed(missing, 5)}; the proof needs them")


def _report(
    data: Dataset, origin: Origin, model: Model, answer: Verification, encoded: bool, rows: int
) -> tuple[int, list[str]]:
    family = FAMILIES[model.family]
    noun, where = family.noun, f"for {data.name}, target {data.target}"
    among = f"of which each {answer.among}" if answer.among else ""
    counts = ", ".join(f"{n} {what.replace('_', ' ')}" for what, n in answer.checked.items())
    assert answer.objective is not None
    if answer.state == "bound":
        assert answer.lower_bound is not None
        objective, bound, gap = adding_up(answer.objective, answer.lower_bound, digits=7)
        return 1, [
            f"not proven optimal, but a bound: {where}, no {noun} {among}{' ' * bool(among)}has an objective below "
            f"{bound}",
            f"this one has {objective}: at most {gap} above the best",
            f"checked: {counts}; {answer.seconds:.2f} s",
        ]
    spoken = ", ".join(f"{name.replace('_', ' ')} {value!r}" for name, value in answer.parameters.items())
    joined = f"join up to {count(max(map(len, origin.conditions)), 'condition')} on {_listed(origin.columns)}"
    lines = [
        f"valid: this {noun} is optimal{f' among those {among}' if among else ''} {where}, at {spoken}",
        f"objective {answer.objective:.7f} = {family.objective(model, answer.parameters, rows)}",
        f"no {'such ' if among else ''}{noun} made of the proof's {len(origin.names)} antecedents has less; "
        f"they {joined}{restricted(origin)}",
        f"checked: {counts}; resolution {answer.resolution or 0:g}; {answer.seconds:.2f} s",
    ]
    if "min_accuracy" in answer.parameters:
        lines[0] = f"valid, {where}: {least_gap.claim(answer.parameters, len(origin.names))}"
        lines[2] = f"the proof's antecedents {joined}"
    if encoded:
        negative, positive = labels(data)
        lines.insert(1, f"its classes 1 and 0 stand for {positive!r} and {negative!r}")
    return 0, lines


def _listed(columns: tuple[str, ...]) -> str:
    more = f" and {len(columns) - 10} more columns" if len(columns) > 10 else ""
    return ", ".join(columns[:10]) + more


def explain_proof(args: argparse.Namespace) -> None:
    if (args.list is not None) == bool(args.rule):
        raise CommandError("give the list either as a file, --list FILE, or by its rules, --rule NAME ...")
    certificate, model = read_proof(args.proof), read_model(args.model)
    spoken = certificate.parameters.get("regularization")
    if args.regularization not in (None, spoken):
        raise CommandError(f"the proof is for the regularization {spoken!r}, not {args.regularization!r}", 1)
    try:
        data, problem, encoded = problem_of(args, certificate)
        if args.list:
            asked = _list_of(args.list, problem, data, encoded)
        else:
            asked = RuleList.from_problem(problem, [_index(name, problem) for name in args.rule])
        print("\n".join(map(one_line, str(explained(problem, model, certificate, asked)).splitlines())))
    except (NotValid, CertificateError) as error:
        raise CommandError(error, 1) from None
    except MemoryError:
        raise CommandError("there is not enough memory for this check", 1) from None


def _list_of(path: str, problem: Problem, data: Dataset, encoded: bool) -> RuleList:
    """The list of a file over the proof's antecedents, found by name, with its own labels."""
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


FORMS: dict[str, Callable[[Any, argparse.Namespace], str]] = {
    "text": lambda model, args: f"{model.to_text(args.target)}\n",
    "json": lambda model, args: model.to_json(),
    "python": lambda model, args: model.to_python(),
    "sql": lambda model, args: model.to_sql(args.dialect or "duckdb", args.value or "prediction"),
    "pmml": lambda model, args: model.to_pmml(args.target or "prediction"),
}


def export(args: argparse.Namespace) -> None:
    if args.to != "sql" and (args.dialect or args.value):
        raise CommandError("--dialect and --value are of --to sql")
    if args.to not in ("text", "pmml") and args.target is not None:
        raise CommandError("--target is of --to text and --to pmml")
    try:
        with reading(args.model):
            model = load_model(args.model)
        text = FORMS[args.to](model, args)
    except ModelError as error:
        raise CommandError(f"{args.model}: {error}") from error
    if args.output is None:
        print(text, end="")
    save(args.output, text)


def schema(args: argparse.Namespace) -> None:
    print(json_schema(), end="")
