"""Prefixes as labels on the sets that they leave, from the largest set to the smallest, all below a threshold.

A list whose relaxed cost exceeds the threshold costs more than it does. So a pass that meets all other lists proves the
threshold, up to the incumbent's cost.
"""

from __future__ import annotations

import numpy as np

from ...kernels.bit_words import slot_of
from ...kernels.jit import inlined, inner
from ...kernels.queue import length_of, write_path
from .. import bounds
from . import state as at
from .completions import begin
from .state import BEST, BEST_LENGTH, IMPROVED, N_DOUBTS, count, count_amounts, new_entry, span


@inlined
def limit(rules, store):
    """The largest relaxed cost of a list that is looked for: the threshold, and less than the incumbent's cost."""
    below = store.numbers[at.BEST] - 1
    return min(store.numbers[at.THRESHOLD], below << rules.shift if rules.shift >= 0 else below >> -rules.shift)


@inner
def begin_pass(data, rules, store):
    """Forget all prefixes but the empty one; what is proven of sets stays."""
    numbers = store.numbers
    for node in range(numbers[at.N_NODES]):
        store.node[store.node_entry[node]] = -1
    for size in range(store.first_of_size.size):
        store.first_of_size[size] = -1
    numbers[at.N_NODES], numbers[at.N_LABELS], numbers[at.STAGE], numbers[at.N_WAITING] = 0, 0, at.PICK, 0
    numbers[at.SIZE] = store.first_of_size.size - 1
    slot = slot_of(store.table, store.sets, data.full)
    entry = store.table[slot]
    if entry < 0:
        entry = new_entry(store, data.full, slot, rules.relaxed_rule)
    for k in range(store.scratch_sums.shape[1]):
        store.scratch_sums[0, k] = 0
    _insert(data, rules, store, entry, 0, rules.base, -1, -1)


@inner
def pick(data, rules, store):
    """Take the next set and prepare it; False when none is left."""
    numbers = store.numbers
    while numbers[at.SIZE] > 0 and store.first_of_size[numbers[at.SIZE]] < 0:
        numbers[at.SIZE] -= 1
    if numbers[at.SIZE] <= 0:
        return False
    node = store.first_of_size[numbers[at.SIZE]]
    store.first_of_size[numbers[at.SIZE]] = store.node_link[node]
    numbers[at.NODE], numbers[at.LABEL], numbers[at.ANTECEDENT] = node, store.node_head[node], 0
    numbers[at.STAGE] = at.EXPAND
    if numbers[at.LABEL] < 0:
        return True
    chosen = store.sets[store.node_entry[node]]
    numbers[at.MINUS], numbers[at.PLUS] = count(data, chosen, store.node_counts)
    numbers[at.COUNTED] += 1
    count_amounts(data, chosen, store.node_amounts, store.node_totals)
    tail = min(bounds.LARGEST_TAIL, store.node_counts.shape[1])
    numbers[at.TAIL] = tail
    bounds.largest_sums(store.node_counts[0], store.node_sums[0, : tail + 1])
    bounds.largest_sums(store.node_counts[1], store.node_sums[1, : tail + 1])
    skipped = -1
    for a in range(store.node_counts.shape[1]):
        right = max(store.node_counts[0, a], store.node_counts[1, a])
        if right <= rules.relaxed_rule:
            skipped = max(skipped, right)
    numbers[at.SKIPPED] = skipped
    least = at.UNKNOWN
    label = numbers[at.LABEL]
    while label >= 0:
        least = min(least, store.relaxed[label])
        label = store.link[label]
    numbers[at.LEAST] = least
    if rules.completions:
        numbers[at.STAGE] = at.PROVE
    return True


@inner
def start_proof(data, rules, store):
    """Begin to prove the set's least completion, if that is not known well enough for its cheapest prefix."""
    numbers = store.numbers
    numbers[at.STAGE] = at.EXPAND
    entry = store.node_entry[numbers[at.NODE]]
    room = limit(rules, store) - numbers[at.LEAST]
    if store.bound[entry] <= room and not store.final[entry]:
        begin(data, rules, store, entry, room)


@inlined
def _completion(rules, store, entry):
    """Lower bounds on completing the open set: by any rules but at least one, and in any way."""
    numbers = store.numbers
    stop, further = min(numbers[at.PLUS], numbers[at.MINUS]), rules.relaxed_rule
    if rules.completions:
        further = store.bound[entry]
    least = min(stop, further)
    if rules.completions and numbers[at.SKIPPED] >= 0:
        further = min(further, least + rules.relaxed_rule - numbers[at.SKIPPED])
    return further, least


@inner
def expand(data, rules, store, most):
    """Extend prefixes of the open set, for which there is room, for about ``most`` weights; how many it looked at."""
    numbers, m = store.numbers, data.by_antecedent.shape[0]
    label, spent = numbers[at.LABEL], 0
    if label < 0:
        numbers[at.STAGE] = at.PICK
        return 1
    entry = store.node_entry[numbers[at.NODE]]
    further, least = _completion(rules, store, entry)
    relaxed = store.relaxed[label]
    if numbers[at.ANTECEDENT] == 0:
        numbers[at.N_WAITING] -= 1
        if relaxed + further > limit(rules, store):
            store.pruned[at.BY_COMPLETIONS if rules.completions else at.BY_THRESHOLD] += 1
            numbers[at.LABEL] = store.link[label]
            return 1
        numbers[at.EXPANDED] += 1
    a = numbers[at.ANTECEDENT]
    while a < m and spent < most and not is_full(store):
        spent += 20 + _try(data, rules, store, entry, label, a, least)
        a += 1
    if a < m:
        numbers[at.ANTECEDENT] = a
    else:
        numbers[at.LABEL], numbers[at.ANTECEDENT] = store.link[label], 0
    return spent


@inlined
def _try(data, rules, store, entry, label, a, least):
    """One antecedent with both labels; returns the weights looked at."""
    numbers, L = store.numbers, rules.relaxed_rule
    relaxed, spent = store.relaxed[label], 0
    whole, child = store.sets[entry], store.scratch_set[0]
    looked, left = False, np.uint64(0)
    for b in range(2):
        if rules.weak_rule and relaxed + least + L - store.node_counts[b, a] > limit(rules, store):
            store.pruned[at.BY_WEAK_RULE] += 1
            continue
        negative, positive = store.node_amounts[0, a], store.node_amounts[1, a]
        if not allowed(rules, negative, positive, b):
            continue
        if not looked:
            looked = True
            same = True
            for w in range(child.size):
                child[w] = whole[w] & ~data.by_antecedent[a, w]
                left |= child[w]
                same = same and child[w] == whole[w]
            if same or left == 0:
                return spent
        numbers[at.CREATED] += 1
        cost = store.cost[label] + rules.per_rule + (positive if b else negative)
        child_relaxed = relaxed + L + store.node_counts[1 - b, a]
        _stop(data, rules, store, label, a, b, cost)
        spent += _keep(data, rules, store, label, a, b, cost, child_relaxed)
    return spent


@inlined
def _stop(data, rules, store, label, a, b, cost):
    """The list that ends with this rule and predicts the other label by default."""
    total = stopped(rules, store, a, b, cost)
    if total < 0:
        return
    verdict = fairness_of(data, rules, store, store.sums[label], a, b)
    if verdict == UNFAIR:
        return
    length = 1 + length_of(store, label)
    out = accept(store, verdict, total, length)
    out[length], out[length - 1] = 1 - b, 2 * a + b
    write_path(store, label, out)


@inlined
def _keep(data, rules, store, label, a, b, cost, relaxed):
    """Enter the prefix that ends with this rule at the set that it leaves, unless it is cut; its set is in scratch."""
    numbers, L = store.numbers, rules.relaxed_rule
    most = limit(rules, store)
    if cost + rules.per_rule >= numbers[at.BEST] or relaxed + L > most:
        store.pruned[at.BY_THRESHOLD] += 1
        return 0
    left_minus = numbers[at.MINUS] - store.node_counts[0, a]
    left_plus = numbers[at.PLUS] - store.node_counts[1, a]
    if rules.one_more_rule:
        tail = numbers[at.TAIL]
        further = bounds.one_more_rule(
            left_plus, left_minus, store.node_sums[1, : tail + 1], store.node_sums[0, : tail + 1], 1, 1, L
        )
        if relaxed + further > most:
            store.pruned[at.BY_ONE_MORE_RULE] += 1
            return 0
    child = store.scratch_set[0]
    slot = slot_of(store.table, store.sets, child)
    entry = store.table[slot]
    if entry < 0:
        entry = new_entry(store, child, slot, L)
    elif rules.completions and relaxed + min(store.bound[entry], left_minus, left_plus) > most:
        store.pruned[at.BY_COMPLETIONS] += 1
        return 0
    for k in range(store.scratch_sums.shape[1]):
        store.scratch_sums[0, k] = store.sums[label, k] + (store.node_amounts[2 + k, a] if b else 0)
    return _insert(data, rules, store, entry, cost, relaxed, label, 2 * a + b)


@inner
def _insert(data, rules, store, entry, cost, relaxed, parent, rule):
    """Enter a prefix, whose sums are in scratch, at a set; returns the weights looked at."""
    numbers, spent = store.numbers, 0
    node = np.int64(store.node[entry])
    if node < 0:
        node = numbers[at.N_NODES]
        numbers[at.N_NODES] += 1
        size = span(data, store.sets[entry], store.node_span[node])
        spent += data.full.size * 64 * (1 + store.scratch_sums.shape[1])
        store.node[entry], store.node_entry[node], store.node_head[node] = node, entry, -1
        store.node_link[node], store.first_of_size[size] = store.first_of_size[size], node
    if rules.reach and not _reaches(data, store, node):
        store.pruned[at.BY_REACH] += 1
        return spent
    if rules.same_set:
        last, other = -1, store.node_head[node]
        while other >= 0:
            spent += 4
            following = store.link[other]
            if store.cost[other] <= cost and _dominates(
                data, rules, store, node, store.sums[other], store.scratch_sums[0]
            ):
                store.pruned[at.BY_SAME_SET] += 1
                return spent
            if cost <= store.cost[other] and _dominates(
                data, rules, store, node, store.scratch_sums[0], store.sums[other]
            ):
                store.pruned[at.BY_SAME_SET] += 1
                numbers[at.N_WAITING] -= 1
                if last < 0:
                    store.node_head[node] = following
                else:
                    store.link[last] = following
            else:
                last = other
            other = following
    label = numbers[at.N_LABELS]
    numbers[at.N_LABELS] += 1
    numbers[at.N_WAITING] += 1
    store.cost[label], store.relaxed[label] = cost, relaxed
    store.parent[label], store.rule[label] = parent, rule
    store.link[label], store.node_head[node] = store.node_head[node], label
    for k in range(store.scratch_sums.shape[1]):
        store.sums[label, k] = store.scratch_sums[0, k]
    return spent


@inlined
def _reaches(data, store, node):
    """Whether some labels of what a set leaves give fair sums, constraint by constraint."""
    reached = True
    for k in range(store.scratch_sums.shape[1]):
        so_far = store.scratch_sums[0, k]
        if (
            so_far + store.node_span[node, 1, k] < data.outside[0, k]
            or so_far + store.node_span[node, 0, k] > data.outside[1, k]
        ):
            reached = False
    return reached


@inner
def _dominates(data, rules, store, node, sums, other):
    """Whether every completion of a set that is fair after the other sums is fair after these."""
    for k in range(sums.size):
        if rules.values:
            if sums[k] != other[k]:
                return False
            continue
        low = max(data.outside[0, k] - other[k], store.node_span[node, 0, k])
        high = min(data.outside[1, k] - other[k], store.node_span[node, 1, k])
        if data.inside[0, k] - sums[k] > low or data.inside[1, k] - sums[k] < high:
            return False
    return True


UNFAIR, FAIR, UNSURE = range(3)
_NEARLY = 1e-9


@inlined
def allowed(rules, negative, positive, label):
    """Whether a rule may have a label, given the costs of predicting what it captures negative, and positive."""
    return (not rules.majority) or (negative - positive > -rules.doubt if label else negative - positive <= rules.doubt)


@inlined
def stopped(rules, store, a, b, cost):
    """Cost of the list that ends with the rule (a, b) and predicts the other label; -1 where it cannot be the best.

    ``cost`` is that of the prefix with the rule; the amounts of the set before the rule have been counted.
    """
    negative = store.node_totals[0] - store.node_amounts[0, a]
    positive = store.node_totals[1] - store.node_amounts[1, a]
    total = cost + (negative if b else positive)
    return total if total < store.numbers[BEST] and allowed(rules, negative, positive, 1 - b) else np.int64(-1)


@inner
def fairness_of(data, rules, store, before, a, b):
    """Whether that list is fair, given the sums before the rule."""
    verdict = UNSURE if rules.doubt else FAIR
    for k in range(before.size):
        total = before[k] + _added(store, k, a, b)
        if total < data.outside[0, k] or total > data.outside[1, k]:
            return UNFAIR
        if total < data.inside[0, k] or total > data.inside[1, k]:
            verdict = UNSURE
    if rules.values:
        excess = _spread(rules, store, before, a, b) - rules.tolerance
        if excess > _NEARLY:
            return UNFAIR
        if excess > -_NEARLY:
            verdict = UNSURE
    return verdict


@inlined
def _spread(rules, store, before, a, b):
    """How far the predictive values of groups are apart, to within rounding."""
    first, low, high = before.size - 2 * rules.values, 1.0, 0.0
    for g in range(rules.values):
        k = first + 2 * g
        right = before[k] + _added(store, k, a, b)
        wrong = before[k + 1] + _added(store, k + 1, a, b)
        if right + wrong > 0:
            value = right / (right + wrong)
            low, high = min(low, value), max(high, value)
    return high - low


@inlined
def _added(store, k, a, b):
    """What a last rule (a, b), and the other label after it, add to a sum."""
    captured = store.node_amounts[2 + k, a]
    return captured if b else store.node_totals[2 + k] - captured


@inlined
def is_full(store):
    """Whether there may be no room for the doubtful lists of one more antecedent."""
    return store.numbers[N_DOUBTS] + 4 > store.doubt_cost.size


@inlined
def accept(store, verdict, cost, length):
    """Where to write the rules of a list of this cost, and its default: of the incumbent, or of a doubtful list."""
    numbers = store.numbers
    if verdict == FAIR:
        numbers[BEST], numbers[BEST_LENGTH] = cost, length
        numbers[IMPROVED] += 1
        return store.best_rules
    i = numbers[N_DOUBTS]
    numbers[N_DOUBTS] += 1
    store.doubt_cost[i], store.doubt_length[i] = cost, length
    return store.doubt_rules[i]
