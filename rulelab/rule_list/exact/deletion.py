"""The deletion bound: prefixes that are better without one of their rules, whatever follows."""

from __future__ import annotations

from ...kernels.jit import inlined, inner
from .. import bounds
from ..counting import count, weigh


@inlined
def flows(arrays, rules, store, node):
    """For each rule of the prefix, where its weight would go without it; -1 when the prefix is better without one.

    ``store.flow`` gets, per rule with weight in X, its label, ``lost`` and ``gained`` as in `bounds.better_without`;
    ``store.flow_counts`` the net weights of all antecedents within X.
    """
    path, labels = store.path_scratch[0], store.path_scratch[1]  # from the last rule back to the first
    left, captured = store.scratch_set[0], store.scratch_set[1]
    length = 0
    at = node
    while store.parent[at] >= 0:
        _capture(arrays, store, at, left)
        positive, negative = weigh(arrays, left)
        path[length], labels[length] = at, positive > negative
        length += 1
        at = store.parent[at]
    n = 0
    for i in range(min(length, store.flow.shape[0])):
        _capture(arrays, store, path[i], left)
        lost, gained = 0, 0
        for j in range(i - 1, -1, -1):
            rule = store.rule[path[j]]
            for w in range(left.size):
                captured[w] = left[w] & arrays.by_antecedent[rule, w]
                left[w] &= ~captured[w]
            if labels[j] != labels[i]:
                positive, negative = weigh(arrays, captured)
                lost += positive if labels[i] else negative
                gained += negative if labels[i] else positive
        positive, negative = weigh(arrays, left)
        lost += positive if labels[i] else negative
        if bounds.better_without(lost, gained, rules.per_error, rules.per_rule):
            return -1
        if positive + negative > 0:
            store.flow[n, 0], store.flow[n, 1], store.flow[n, 2] = labels[i], lost, gained
            count(arrays, left, store.flow_counts[2 * n], store.flow_counts[2 * n + 1])
            n += 1
    return n


@inner
def _capture(arrays, store, node, out):
    """The patterns that the last rule of a stored prefix captures."""
    parent, rule = store.parent[node], store.rule[node]
    for w in range(out.size):
        out[w] = store.sets[parent, w] & arrays.by_antecedent[rule, w]


@inlined
def deletable(rules, store, n_flows, a, label):
    """Whether the child that captures ``a`` next, with this label, is better without one of the prefix's rules."""
    for i in range(n_flows):
        positive, negative = store.flow_counts[2 * i, a], store.flow_counts[2 * i + 1, a]
        own = store.flow[i, 0] == 1
        lost, gained = store.flow[i, 1], store.flow[i, 2]
        if own == label:
            lost -= positive if own else negative
        else:
            gained += negative if own else positive
        if bounds.better_without(lost, gained, rules.per_error, rules.per_rule):
            return True
    return False
