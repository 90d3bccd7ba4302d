"""The children of one prefix, in the order of the antecedents: counted, bounded, stored, queued."""

from __future__ import annotations

import numpy as np

from ...kernels.bit_words import slot_of
from ...kernels.jit import inlined, inner, kernel
from ...kernels.queue import DONE, GROW, PAUSED, write_path
from ..counting import weigh
from ..exact import state as at
from ..exact.queue import raise_lower_bound
from . import bounds, state
from .queue import (
    add,
    close,
    cut_by,
    enqueue,
    has,
    is_settled,
    lower_bound,
    purge,
    rebuild_tables,
    remember,
    supersede,
    take_next,
)

_CHILDREN_PER_TAKEN = 32  # taking one off the queue compares it with all that are remembered


@inlined
def open_prefix(rules, store, node):
    """Begin with the children of a prefix: what is rejected or settled before any is looked at."""
    numbers = store.numbers
    numbers[at.EXPANDED] += 1
    numbers[at.OPEN_NODE], numbers[at.LAST_NODE], numbers[at.OPEN_CHILD] = node, node, 0
    write_path(store, node, store.prefix)
    for w in range(store.settled.shape[1]):
        store.settled[node, w] = store.antecedents[node, w]
    if rules.rejection_propagation and store.length[node] > 0:
        _inherit(store, node)


@inlined
def _inherit(store, node):
    """Take over what is rejected after the parent and after every stored prefix with one antecedent fewer (Thm 12)."""
    subset = store.scratch_bits[1]
    for w in range(subset.size):
        store.rejected[node, w] |= store.rejected[store.parent[node], w]
        subset[w] = store.antecedents[node, w]
    for i in range(store.length[node]):
        word, bit = store.prefix[i] >> 6, np.uint64(1) << np.uint64(store.prefix[i] & 63)
        subset[word] ^= bit
        other = store.by_antecedents[slot_of(store.by_antecedents, store.antecedents, subset)]
        subset[word] ^= bit
        if other >= 0:
            for w in range(subset.size):
                store.rejected[node, w] |= store.rejected[other, w]


@inlined
def expand(arrays, rules, store, most):
    """Go on with the open prefix, for at most ``most`` antecedents; returns how many."""
    numbers, pruned, captured = store.numbers, store.pruned, store.scratch_set[0]
    per_error, per_rule = rules.per_error, rules.per_rule
    node = numbers[at.OPEN_NODE]
    length = store.length[node]
    chosen, rejected, settled = store.antecedents[node], store.rejected[node], store.settled[node]
    left_positive, left_negative = weigh(arrays.classes, store.sets[node])
    first, m = numbers[at.OPEN_CHILD], arrays.by_antecedent.shape[0]
    for a in range(first, min(first + most, m)):
        numbers[at.OPEN_CHILD] = a + 1
        if has(chosen, a):
            continue
        if rules.dominance and _is_dominated(arrays, store, a, length):
            pruned[state.BY_DOMINANCE] += 1
            add(settled, a)
            continue
        if rules.rejection_propagation and has(rejected, a):
            pruned[state.BY_PROPAGATION] += 1
            add(settled, a)
            continue
        if rules.commuting and length > 0 and a < store.rule[node] and _are_disjoint(arrays, a, store.rule[node]):
            pruned[state.BY_COMMUTING] += 1
            if has(store.settled[store.parent[node]], a):
                add(settled, a)
            continue
        for w in range(captured.size):
            captured[w] = store.sets[node, w] & arrays.by_antecedent[a, w]
        positive, negative = weigh(arrays.classes, captured)
        numbers[state.COUNTED] += 1
        which = _rejected_by(rules, positive, negative, left_positive + left_negative)
        if which >= 0:
            pruned[which] += 1
            add(rejected, a)
            add(settled, a)
            continue
        numbers[at.CREATED] += 1
        numbers[state.LONGEST] = max(numbers[state.LONGEST], length + 1)
        cost = store.cost[node] + per_error * min(positive, negative) + per_rule
        if rules.hierarchical and bounds.hierarchical(cost, numbers[at.BEST]):
            pruned[state.BY_HIERARCHICAL] += 1
            add(settled, a)
            continue
        objective = cost + per_error * min(left_positive - positive, left_negative - negative)
        if objective < numbers[at.BEST]:
            _improve(store, node, a, objective)
        which = cut_by(rules, cost, 0, length + 1, numbers[at.BEST])
        points = store.points[node]
        if which < 0:
            points -= weigh(arrays.minority, captured)[0]
            which = cut_by(rules, cost, points, length + 1, numbers[at.BEST])
        if which >= 0:
            pruned[which] += 1
            add(settled, a)
            continue
        _consider(arrays, rules, store, node, a, cost, points, objective, left_positive + left_negative)
    return numbers[at.OPEN_CHILD] - first


@inlined
def _is_dominated(arrays, store, a, length):
    """Whether an antecedent of the open prefix captures all that ``a`` captures."""
    for i in range(length):
        inside = True
        for w in range(arrays.full.size):
            if arrays.by_antecedent[a, w] & ~arrays.by_antecedent[store.prefix[i], w] != 0:
                inside = False
                break
        if inside:
            return True
    return False


@inlined
def _are_disjoint(arrays, a, b):
    common = np.uint64(0)
    for w in range(arrays.full.size):
        common |= arrays.by_antecedent[a, w] & arrays.by_antecedent[b, w]
    return common == 0


@inlined
def _rejected_by(rules, positive, negative, left):
    """Which support bound rejects a rule that captures these weights of ``left``; -1 when none does."""
    per_error, per_rule = rules.per_error, rules.per_rule
    if rules.support and bounds.support(positive + negative, per_error, per_rule):
        return state.BY_SUPPORT
    if rules.accurate_support and bounds.accurate_support(max(positive, negative), per_error, per_rule):
        return state.BY_ACCURATE_SUPPORT
    if rules.excessive_support and bounds.excessive_support(left - positive - negative, per_error, per_rule):
        return state.BY_EXCESSIVE_SUPPORT
    return -1


@inlined
def _improve(store, node, a, objective):
    """Make the list of ``node`` and ``a`` the incumbent."""
    numbers = store.numbers
    length = store.length[node]
    for i in range(length):
        store.path[i] = store.prefix[i]
    store.path[length] = a
    numbers[at.BEST] = objective
    numbers[at.PATH_LENGTH] = length + 1
    numbers[at.FOUND_AT] = numbers[at.WORK]
    numbers[state.CREATED_AT_BEST] = numbers[at.CREATED]
    numbers[at.IMPROVED] += 1


@inner
def _consider(arrays, rules, store, parent, a, cost, points, objective, left):
    """Store and queue a child, unless a memo knows a prefix that is as cheap and captures the same."""
    numbers = store.numbers
    chosen, uncaptured = store.scratch_bits[0], store.scratch_set[1]
    for w in range(chosen.size):
        chosen[w] = store.antecedents[parent, w]
    add(chosen, a)
    for w in range(uncaptured.size):
        uncaptured[w] = store.sets[parent, w] & ~arrays.by_antecedent[a, w]

    slot_of_set = 0
    slot_of_chosen = 0
    same, which = -1, state.BY_PERMUTATION
    if rules.permutation or rules.rejection_propagation:
        slot_of_chosen = slot_of(store.by_antecedents, store.antecedents, chosen)
    if rules.permutation:
        same = store.by_antecedents[slot_of_chosen]
    if rules.equivalent_support:
        slot_of_set = slot_of(store.by_set, store.sets, uncaptured)
        if same < 0 or store.cost[same] > cost:
            same, which = store.by_set[slot_of_set], state.BY_SAME_SET
    if same >= 0:
        if store.cost[same] <= cost:
            store.pruned[which] += 1
            if store.closed[same]:
                add(store.settled[parent], a)
            return
        supersede(rules, store, same, which)

    node = numbers[at.N_NODES]
    numbers[at.N_NODES] += 1
    for w in range(chosen.size):
        store.antecedents[node, w] = chosen[w]
    for w in range(uncaptured.size):
        store.sets[node, w] = uncaptured[w]
    store.cost[node] = cost
    store.points[node] = points
    store.key[node] = lower_bound(rules, cost, points)
    store.parent[node] = parent
    store.rule[node] = a
    store.length[node] = store.length[parent] + 1
    if rules.permutation or rules.rejection_propagation:
        store.by_antecedents[slot_of_chosen] = node
    if rules.equivalent_support:
        store.by_set[slot_of_set] = node
    positive, negative = weigh(arrays.classes, uncaptured)
    enqueue(rules, store, node, objective, rules.total - positive - negative)


@inlined
def finish(arrays, rules, store, node):
    """Note it when no list that starts with the expanded prefix beats the incumbent."""
    if rules.similar_support and is_settled(store, node, arrays.by_antecedent.shape[0]):
        close(rules, store, node)
        remember(arrays, store, node)


@kernel
def advance(arrays, rules, store, max_work, max_effort):
    """Expand ``max_work`` prefixes at most, at about ``max_effort`` words: DONE, PAUSED, or GROW without room."""
    numbers = store.numbers
    m = arrays.by_antecedent.shape[0]
    if numbers[at.N_NODES] == 0:
        _start(arrays, rules, store)
    if numbers[at.TABLE_IS_STALE]:
        max_effort -= rebuild_tables(store, max_effort)
        if numbers[at.TABLE_IS_STALE]:
            return PAUSED
    child = effort_of_a_child(arrays)
    work = numbers[at.WORK] + max_work
    while numbers[at.WORK] < work and max_effort > 0:
        node = numbers[at.OPEN_NODE]
        if node < 0:
            if numbers[at.N_NODES] + m > store.cost.size:
                return GROW
            queued, most = numbers[at.N_HEAP], 1 + max_effort // (_CHILDREN_PER_TAKEN * child)
            node = take_next(arrays, rules, store, most)
            max_effort -= _CHILDREN_PER_TAKEN * child * (queued - numbers[at.N_HEAP])
            if node >= 0:
                open_prefix(rules, store, node)
            elif numbers[at.N_HEAP] == 0:
                break
            continue
        max_effort -= child * expand(arrays, rules, store, 1 + max_effort // child)
        if numbers[at.OPEN_CHILD] < m:
            break
        numbers[at.OPEN_NODE] = -1
        numbers[at.WORK] += 1
        finish(arrays, rules, store, node)
        if numbers[at.BEST] < numbers[at.OPEN_BEST]:
            purge(rules, store)
        raise_lower_bound(rules, store, numbers[at.BEST])
    if numbers[at.N_QUEUED] == 0 and numbers[at.OPEN_NODE] < 0:
        numbers[at.LOWER_BOUND] = numbers[at.BEST]
        return DONE
    return PAUSED


@inlined
def effort_of_a_child(arrays):
    """Words and weights looked at for one child of a prefix, about."""
    weighed, stored = arrays.classes.entry_word.size, arrays.full.size + (arrays.by_antecedent.shape[0] >> 6)
    return 3 * weighed + arrays.minority.entry_word.size + 8 * stored + 20


@inlined
def _start(arrays, rules, store):
    """Queue the empty prefix; the incumbent is the default rule alone."""
    for w in range(arrays.full.size):
        store.sets[0, w] = arrays.full[w]
    positive, negative = weigh(arrays.classes, arrays.full)
    store.points[0] = weigh(arrays.minority, arrays.full)[0]
    store.key[0] = lower_bound(rules, 0, store.points[0])
    store.parent[0] = -1
    store.rule[0] = -1
    numbers = store.numbers
    numbers[at.N_NODES] = 1
    numbers[at.OPEN_NODE] = -1
    numbers[at.BEST] = rules.per_error * min(positive, negative)
    numbers[at.OPEN_BEST] = numbers[at.BEST]
    numbers[at.LOWER_BOUND] = min(numbers[at.BEST], store.key[0])
    store.by_set[slot_of(store.by_set, store.sets, store.sets[0])] = 0
    store.by_antecedents[slot_of(store.by_antecedents, store.antecedents, store.antecedents[0])] = 0
    enqueue(rules, store, 0, numbers[at.BEST], 0)
