"""``rulelab export-proof``: a small proof of a rule set in OPB and VeriPB, for the checkers of others."""

from __future__ import annotations

import argparse
from typing import Any

from .console import CommandError
from .options import add_written
from .verify import NotValid, add_proof, problem_of, read_model, read_proof


def add_to(commands: Any) -> None:
    """Add the command."""
    text = (
        "Write the small proof of a rule set as a pseudo-Boolean formula, in OPB, and a proof of its optimum in the "
        "format of VeriPB 3.0, which checkers that know nothing of rule sets read. The proof is checked first. For the "
        "Hamming loss without fairness constraints, and so few conditions that all rules can be listed (20000)."
    )
    parser = commands.add_parser("export-proof", help="a rule set's proof for VeriPB", description=text)
    add_proof(parser)
    add_written(parser, "-o", "--output", required=True, text="without an ending: FILE.opb and FILE.pbp are written")
    parser.set_defaults(run=export_proof)


def export_proof(args: argparse.Namespace) -> int:
    """Run the command; the exit status."""
    from ..certificate import CertificateError
    from ..pseudo_boolean import export_proof as exported

    certificate, model = read_proof(args.proof), read_model(args.model)
    spoken = certificate.parameters.get("regularization")
    if args.regularization not in (None, spoken):
        raise CommandError(f"the proof is for the regularization {spoken!r}, not {args.regularization!r}", 1)
    try:
        _, problem, _ = problem_of(args, certificate)
        proof = exported(problem, model, certificate)
    except (NotValid, CertificateError) as error:
        raise CommandError(error, 1) from None
    except MemoryError:
        raise CommandError("there is not enough memory for this proof", 1) from None
    try:
        formula, written = proof.save(args.output)
    except OSError as error:
        raise CommandError(f"{args.output} cannot be written: {error.strerror}", 1) from error
    print(f"{formula}: {proof.n_variables} variables, {proof.n_constraints} constraints")
    print(f"{written}: {proof.n_lines} lines; check it by: veripb {formula} {written}")
    return 0
