"""A checker of pseudo-Boolean proofs of optima, written from the format: `optimum` takes a formula and a proof."""

from __future__ import annotations


def constraint(words, factor=1):
    """``+1 x1 -2 ~x2 >= 1`` as coefficients of at least 0 of literals, and the least sum."""
    at = words.index(">=")
    terms, least = zip(words[:at:2], words[1:at:2], strict=True), factor * int(words[at + 1])
    return summed([({literal: factor * int(c)}, 0) for c, literal in terms] + [({}, least)])


def summed(parts):
    net, least = {}, sum(degree for _, degree in parts)
    for literal, c in (term for coefficients, _ in parts for term in coefficients.items()):
        sign, variable = (-1, literal[1:]) if literal[0] == "~" else (1, literal)
        net[variable] = net.get(variable, 0) + sign * c
        least -= c if sign < 0 else 0
    out = {variable if c > 0 else f"~{variable}": abs(c) for variable, c in net.items() if c}
    return out, least - sum(c for c in net.values() if c < 0)


def other(literal):
    return literal[1:] if literal[0] == "~" else f"~{literal}"


def contradicts(constraints):
    """Whether unit propagation ends in a constraint that cannot hold any more."""
    true, before = set(), -1
    while len(true) > before:
        before = len(true)
        for coefficients, least in constraints:
            slack = sum(c for literal, c in coefficients.items() if other(literal) not in true) - least
            if slack < 0:
                return True
            true |= {literal for literal, c in coefficients.items() if c > slack and other(literal) not in true}
    return False


def optimum(formula, proof):
    """What the proof shows to be the least value of the objective; AssertionError where it does not."""
    lines = [line.split() for line in formula.splitlines() if not line.startswith("*")]
    costs = dict(zip(lines[0][2:-1:2], map(int, lines[0][1:-1:2]), strict=True))
    known = [({}, 0), *(constraint(words[:-1]) for words in lines[1:])]
    given, steps = known[:], [line.split() for line in proof.splitlines()]
    assert proof.splitlines()[0] == "pseudo-Boolean proof version 3.0"
    assert steps[1] == ["f", str(len(known) - 1), ";"]
    for rule, *words in steps[2:-3]:
        assert words.pop() == ";"
        if rule == "soli":
            value = measured(costs, given, words)
            known.append(summed([({literal: -c for literal, c in costs.items()}, 1 - value)]))
        elif rule == "rup":
            at = words.index(":")
            coefficients, least = constraint(words[:at])
            negated = {other(literal): c for literal, c in coefficients.items()}, sum(coefficients.values()) - least + 1
            assert contradicts([negated if k == "~" else known[int(k)] for k in words[at + 1 :]]), words
            known.append((coefficients, least))
        else:
            assert rule == "pol"
            known.append(polish(known, words))
    assert steps[-3] == ["output", "NONE", ";"]
    assert steps[-1] == ["end", "pseudo-Boolean", "proof", ";"]
    ended, bound, _, by, upper, _, *solution, end = steps[-2][1:]
    assert (ended, end) == ("BOUNDS", ";")
    coefficients, least = known[int(by)]
    assert sum(coefficients.values()) < least
    assert bound == upper == str(measured(costs, given, solution)) == str(value)
    return int(bound)


def polish(known, words):
    stack = []
    for word in words:
        if word == "+":
            stack.append(summed([stack.pop(), stack.pop()]))
        elif word == "*":
            factor, (coefficients, least) = int(stack.pop()), known[int(stack.pop())]
            assert factor >= 0
            stack.append(({literal: factor * c for literal, c in coefficients.items()}, factor * least))
        else:
            stack.append(word)
    assert len(stack) == 1
    return stack[0]


def measured(costs, constraints, literals):
    """The value of a solution, which must hold."""
    true = set(literals)
    for coefficients, least in constraints:
        assert sum(c for literal, c in coefficients.items() if literal in true) >= least
    return sum(c for literal, c in costs.items() if literal in true)
