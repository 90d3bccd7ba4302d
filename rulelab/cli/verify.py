"""``rulelab verify``: a proof checked against the data file, from the raw columns and without any search."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

from ..families import least_gap
from ..families.wording import at_least, at_most, count, restricted
from .families import family_of
from .options import add_count, add_reading, number, reading_of
from .output import CommandError, Read, bad_input, is_data_set, one_line, reading
from .reading import classes_of, file_data, is_counted, labels, recount, target_of

if TYPE_CHECKING:
    from ..certificate import Certificate, Origin, Verification
    from ..data.problem import Problem
    from ..datasets import Dataset
    from ..models import Model, MultiClassRuleList


class NotValid(Exception):  # noqa: N818 - it is an answer
    """The proof says nothing about these data; the message is the reason."""


_AS_FITTED = "; for the same rows give what `rulelab fit` was given, such as --test-share and --key"


def verify(args: argparse.Namespace) -> int:
    from ..models import MultiClassRuleList

    certificate, model = read_proof(args.proof), read_any_model(args.model)
    check: Any = _check_classes if isinstance(model, MultiClassRuleList) else _check
    try:
        status, lines = check(args, certificate, model)
    except NotValid as reason:
        status, lines = 1, [f"not valid: {reason}"]
    except MemoryError:
        raise CommandError("there is not enough memory for this check", 1) from None
    print("\n".join(map(one_line, lines)))
    return status


def read_proof(path: str) -> Certificate:
    from ..certificate import Certificate, CertificateError

    try:
        with reading(path):
            return Certificate.load(path)
    except CertificateError as error:
        raise CommandError(f"{path}: {error}", 1) from error


def read_any_model(path: str) -> Model | MultiClassRuleList:
    from ..models import ModelError, load_model

    try:
        with reading(path):
            return load_model(path)
    except ModelError as error:
        raise CommandError(f"{path}: {error}", 1) from error


def read_model(path: str) -> Model:
    """A model of two classes."""
    from ..models import Model

    model = read_any_model(path)
    if not isinstance(model, Model):
        raise CommandError(f"{path} holds a list of several classes, where a model of two classes is asked for")
    return model


def _check(args: argparse.Namespace, certificate: Certificate, model: Model) -> tuple[int, list[str]]:
    """The exit status, and what was proven and what was checked, in lines."""
    from ..certificate import verify as check

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
    from .. import datasets
    from ..certificate import CertificateError, OriginError
    from ..multiclass import MultiClassCertificate

    try:
        proof = MultiClassCertificate.of(certificate)
    except CertificateError as error:
        raise NotValid(f"the model is a list of several classes: {error}") from error
    origin = _origin(args, certificate)
    if args.regularization not in (None, proof.regularization):
        raise NotValid(
            f"the certificate is for the regularization {proof.regularization!r}, not {args.regularization!r}"
        )
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
            answer = proof.check(origin.problem_of_classes(data.X, found), model)
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
    from ..certificate import OriginError

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
    from .. import datasets

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
    """Whether the proof says 1 and 0 for other labels; refuses classes that the target does not have.

    No label may be 0 or 1 itself then: nobody should read one label where the other is meant.
    """
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
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise CommandError(f"{args.data} has no column {', '.join(map(repr, missing[:5]))}{more}; the proof needs them")


def _report(
    data: Dataset, origin: Origin, model: Model, answer: Verification, encoded: bool, rows: int
) -> tuple[int, list[str]]:
    family = family_of(model)
    noun, where = family.noun, f"for {data.name}, target {data.target}"
    among = f"of which each {answer.among}" if answer.among else ""
    counts = ", ".join(f"{n} {what.replace('_', ' ')}" for what, n in answer.checked.items())
    assert answer.objective is not None
    if answer.state == "bound":
        assert answer.lower_bound is not None
        return 1, [
            f"not proven optimal, but a bound: {where}, no {noun} {among}{' ' * bool(among)}has an objective below "
            f"{at_least(answer.lower_bound, 7)}",
            f"this one has {answer.objective:.7f}: at most "
            f"{at_most(max(0.0, answer.objective - answer.lower_bound))} above the best",
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


def add_to(commands: Any) -> None:
    check = "Check the proof that `rulelab fit --proof` saved: on the data, without binarizing, mining and searching."
    parser = commands.add_parser("verify", help="check a proof on the data", description=check)
    add_proof(parser)
    parser.set_defaults(run=verify)


def add_proof(parser: argparse.ArgumentParser) -> None:
    """The arguments that name a proof, its model and its data, and what it must speak for."""
    text = "the CSV or Parquet file, or the name of the data set, that the model was fitted to"
    parser.add_argument("data", type=Read, help=text)
    parser.add_argument("model", type=Read, help="the model, as `rulelab fit -o` saves it")
    parser.add_argument("proof", type=Read, help="the proof, as `rulelab fit --proof` saves it")
    group = parser.add_argument_group("what the proof must speak for", "By default whatever it says.")
    group.add_argument("--target", metavar="COLUMN", help="the column that is predicted")
    group.add_argument("--positive", metavar="LABEL", help="the class that is predicted")
    at_least_zero = number(lambda value: 0 <= value < math.inf, "a number of at least 0")
    text = "cost of a rule (lists) or, in rows, of a unit of complexity (sets)"
    group.add_argument("--regularization", type=at_least_zero, metavar="X", help=text)
    text = "sensitive attribute of a file, for a proof that compares groups; repeatable"
    group.add_argument("--sensitive", action="append", default=[], metavar="COLUMN", help=text)
    add_count(group)
    add_reading(parser)
