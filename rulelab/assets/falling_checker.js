/* Checks the proof that a falling rule list of two classes is optimal, as the checker of rule lists does.

Let f(S, r) be the least further cost once the set S of patterns is left and the last rule has the proportion r of
positives: that of the else on S, or of a rule whose proportion is at most r, and what follows. The table gives values
V for pairs (S, r), and V <= f follows by induction on the size of S if for each of them

    V <= cost of the else,   and for each next rule
    V <= its cost + price + (at least) f(what it leaves, its proportion).

A positive that is called negative costs A (`perPositive`), the other error B, a rule `perRule`. Some optimal list has
only rules that predict positive, A p > B q (Corollary 4.5 of Chen and Rudin, 2018), after which the rest has no
larger proportion (Proposition 4.2). f falls as r grows, so an entry of a larger proportion bounds one of a smaller. */

/* Costs of an error of either kind and of a rule, BigInts; the positive weight is a / b. */
const fallingCosts = ({ regularization, positive_weight: weight }, total, nAntecedents) => {
  if (!(regularization >= 0 && regularization < 1) || Object.is(regularization, -0)) {
    refuse("the regularization must be at least 0 and below 1")
  }
  if (!(weight > 0 && weight < Infinity)) refuse("the positive weight must be above 0")
  const [[p, q], [a, b]] = [fraction(regularization), fraction(weight)]
  const [perRule, scale] = simpler([p * total * b, q], BigInt(nAntecedents), LARGEST_COST / 2n, most(a, b) * total)
  return { perPositive: a * scale, perNegative: b * scale, perRule }
}

/* Errors in units of cost, of the pieces of a list: each falls, and predicts what costs less. */
const costOfList = (model, { holds, positives, negatives }, { perPositive, perNegative, perRule }, atMost) => {
  let [left, last, cost] = [holds.map((_, u) => u), [1, 1], perRule * BigInt(model.length - 1)]
  for (const rule of model) {
    const captured = rule.if === null ? left : left.filter((u) => holds[u][rule.if])
    const [p, q] = [positives, negatives].map((weights) => sum(captured.map((u) => weights[u])))
    const [ofPositives, ofNegatives] = [perPositive * BigInt(p), perNegative * BigInt(q)]
    cost += least(ofPositives, ofNegatives)
    left = rule.if === null ? [] : left.filter((u) => !holds[u][rule.if])
    if (!(p + q)) continue
    if (!atMost(p, p + q, ...last)) refuse("the model does not fall: a proportion is larger than the one before")
    if (rule.predicts !== Number(ofPositives > ofNegatives)) refuse("a rule does not predict what costs less")
    last = [p, p + q]
  }
  return cost
}

/* Patterns in falling order of their proportion of positives, over the distinct antecedents. `ends`: how many
patterns come before each threshold p_t / n_t that is at most the proportion from which on a rule predicts positive, 0
/ 1 last. */
const fallingSpace = (counts, { perPositive, perNegative }) => {
  const { holds, positives, negatives, nAntecedents } = counts
  const columns = Array.from({ length: nAntecedents }, (_, j) => keyOf(holds.map((row) => row[j])))
  const antecedents = columns.flatMap((column, j) => (columns.indexOf(column) === j ? [j] : []))
  const size = (u) => positives[u] + negatives[u]
  const cross = (u, v) => BigInt(positives[v]) * BigInt(size(u)) - BigInt(positives[u]) * BigInt(size(v))
  const order = holds.map((_, u) => u).filter(size).sort((u, v) => Number(cross(u, v)))
  const isAbove = (u) => perPositive * BigInt(positives[u]) > perNegative * BigInt(negatives[u])
  const ends = []
  order.forEach((u, k) => {
    const isNext = !k || cross(order[k - 1], u) !== 0n
    if (!isAbove(u) && positives[u] && isNext) ends.push({ end: k, p: positives[u], n: size(u) })
  })
  ends.push({ end: order.filter((u) => positives[u]).length, p: 0, n: 1 })
  return {
    rows: order.map((u) => antecedents.map((j) => holds[u][j])),
    inside: order.map((u) => antecedents.flatMap((j, a) => (holds[u][j] ? [a] : []))),
    positives: order.map((u) => positives[u]),
    negatives: order.map((u) => negatives[u]),
    above: order.filter(isAbove).length,
    nAntecedents: antecedents.length,
    ends,
  }
}

/* Weights of a set: `all`, what antecedents capture (`by`), patterns above the threshold and before each of `ends`. */
const fallingWeights = (space, members) => {
  const by = [new Float64Array(space.nAntecedents), new Float64Array(space.nAntecedents)]
  const [all, before, above] = [[0, 0], [], [0, 0]]
  for (let u = 0, t = 0; u <= members.length; u++) {
    while (t < space.ends.length && space.ends[t].end === u) before[t++] = [...all]
    if (u === space.above) above.splice(0, 2, ...all)
    if (!members[u]) continue
    all[0] += space.positives[u]
    all[1] += space.negatives[u]
    for (const a of space.inside[u]) {
      by[0][a] += space.positives[u]
      by[1][a] += space.negatives[u]
    }
  }
  return { by, all, before, above }
}

/* Whether all completions by rules of proportions up to p_a / n_a lose at least `required` on a set.

They gain A p(T) - B q(T) on what they capture, T, over the else, and p(T) <= p_a / n_a |T|. So for any l >= 0 the
gain is at most the sum of the positive parts of A p_u - B q_u - l (p_u - p_a / n_a n_u). With l = 0 these are the
patterns above the threshold. For t = p_t / n_t below that and l = (B - (A + B) t) / (p_a / n_a - t) they are those of
proportion above t: P positives, N rows, and the gain is at most

    A P - B (N - P) - (B n_t - (A + B) p_t) (P n_a - p_a N) / (p_a n_t - p_t n_a).

Numbers tell which thresholds may do, and BigInts decide. */
const losesEnough = ({ space, exact, perPositive: a, perNegative: b }, { all, before, above }, p, n, required) => {
  const loss = a * exact(all[0]) - required /* the gain that is too large */
  if (a * exact(above[0]) - b * exact(above[1]) <= loss) return true
  const [A, B, L] = [a, b, loss].map(Number)
  return space.ends.some((t, k) => {
    const [positives, rows] = [before[k][0], before[k][0] + before[k][1]]
    const [divisor, price] = [p * t.n - t.p * n, B * t.n - (A + B) * t.p]
    if (!(divisor > 0)) return false
    const estimate = A * positives - B * before[k][1] - (price * (positives * n - p * rows)) / divisor
    if (estimate > L + Math.abs(L) * 1e-9 + 1) return false
    const [ofP, ofN, most, pA, nA, pT, nT, P, N] = [a, b, loss, p, n, t.p, t.n, positives, rows].map(BigInt)
    const [over, exactly] = [ofP * P - ofN * (N - P) - most, ofN * nT - (ofP + ofN) * pT]
    const below = pA * nT - pT * nA
    return below > 0n && exactly >= 0n && over * below <= exactly * (P * nA - pA * N)
  })
}

/* Entries {members, p, n, value}: each follows its parent, an earlier one, by an antecedent that captures p of n. */
const readEntries = (arrays, space, { perPositive, perNegative }) => {
  if (Object.keys(arrays).sort().join() !== "antecedents,parents,values") refuse("the proof holds what is not known")
  const [parents, rules, values] = ["parents", "antecedents", "values"].map(
    (name) => readArray(arrays[name], name, "<i8", 1).data,
  )
  if (parents.length !== rules.length || parents.length !== values.length || parents[0] !== -1n || rules[0] !== -1n) {
    refuse("the first entry must be the empty list, and each must have a parent, an antecedent and a value")
  }
  const largest = least(perPositive * BigInt(sum(space.positives)), perNegative * BigInt(sum(space.negatives)))
  if (values.some((value) => value < 0n || value > largest)) refuse("a value is negative or exceeds all costs")
  const entries = [{ members: new Uint8Array(space.rows.length).fill(1), p: 1, n: 1, value: values[0] }]
  for (let k = 1; k < values.length; k++) {
    const [parent, a] = [entries[parents[k]], Number(rules[k])]
    if (!parent || a < 0 || a >= space.nAntecedents) refuse(`entry ${k} does not follow an earlier one by a condition`)
    const [p, q] = [space.positives, space.negatives].map((weights) =>
      weights.reduce((total, weight, u) => (parent.members[u] && space.rows[u][a] ? total + weight : total), 0),
    )
    if (!(p + q)) refuse(`entry ${k} follows by a condition that captures nothing`)
    const members = parent.members.map((is, u) => (is && !space.rows[u][a] ? 1 : 0))
    entries.push({ members, p, n: p + q, value: values[k] })
  }
  return entries
}

/* Checks all inequalities of one entry. */
const checkEntry = (proof, { members, p: lastP, n: lastN, value }, k) => {
  const { space, exact, atMost, perPositive, perNegative, perRule } = proof
  const weights = fallingWeights(space, members)
  const costOfElse = (p, q) => least(perPositive * exact(p), perNegative * exact(q))
  const [P, Q] = weights.all
  if (value > costOfElse(P, Q)) refuse(`entry ${k} of the table: the else alone costs less`)
  for (let a = 0; a < space.nAntecedents; a++) {
    const [p, q] = [weights.by[0][a], weights.by[1][a]]
    const n = p + q
    if (!n || n === P + Q || perPositive * exact(p) <= perNegative * exact(q)) continue
    if (!atMost(p, n, lastP, lastN) || !atMost(P - p, P + Q - n, p, n)) continue
    const required = value - perRule - perNegative * exact(q)
    if (required > costOfElse(P - p, Q - q)) refuse(`entry ${k} of the table: its rule ${a} and the else cost less`)
    /* this rule and more, of the whole set; then more, of what this one leaves */
    if (losesEnough(proof, weights, p, n, value - perRule - perRule)) continue
    const left = members.map((is, u) => (is && !space.rows[u][a] ? 1 : 0))
    if (losesEnough(proof, fallingWeights(space, left), p, n, required - perRule)) continue
    const known = proof.table.get(keyOf(left)) ?? []
    if (known.some((entry) => entry.value >= required && atMost(p, n, entry.p, entry.n))) continue
    refuse(`entry ${k} of the table: nothing shows that what its rule ${a} leaves costs ${required}`)
  }
}

/* `positive_weight`: that the model was made for, and says its labels by. */
function* checkFalling({ parameters, positive_weight, counts: given, model, arrays }) {
  if (Object.keys(parameters).sort().join() !== "positive_weight,regularization") refuse("the parameters are not known")
  if (parameters.positive_weight !== positive_weight) refuse("the model was made for another positive weight")
  const counts = readCounts(given)
  readModel(model, counts)
  const costs = fallingCosts(parameters, counts.total, counts.nAntecedents)
  const times = counts.total < 2n ** 26n ? (x, y) => x * y : (x, y) => BigInt(x) * BigInt(y)
  const atMost = (p, n, p2, n2) => times(p, n2) <= times(p2, n) /* whether one proportion is at most another */
  const cost = costOfList(model, counts, costs, atMost)
  const space = fallingSpace(counts, costs)
  const entries = readEntries(arrays, space, costs)
  if (entries[0].value !== cost) refuse("the model does not cost what the table claims")
  const { perPositive, perNegative, perRule } = costs
  const exact = 4n * ((perPositive + perNegative) * counts.total + perRule) < 2n ** 53n ? Number : BigInt
  const table = new Map()
  for (const entry of entries) {
    entry.value = exact(entry.value)
    const key = keyOf(entry.members)
    table.set(key, [...(table.get(key) ?? []), entry])
  }
  const inExact = { perPositive: exact(perPositive), perNegative: exact(perNegative), perRule: exact(perRule) }
  const proof = { space, exact, atMost, table, ...inExact }
  for (const [k, entry] of entries.entries()) {
    yield { done: k, of: entries.length }
    checkEntry(proof, entry, k)
  }
  const rules = model.length - 1
  const loss = Number(cost - perRule * BigInt(rules)) / Number(perNegative * counts.total)
  return {
    sets: table.size,
    inequalities: entries.length * (1 + space.nAntecedents),
    objective: loss + parameters.regularization * rules,
  }
}

const CHECKERS = { rule_list: checkRuleList, falling_rule_list: checkFalling }

/* Checks what a report carries: {format, family, parameters, counts, model, arrays}; yields {done, of} in between. */
function* checkProof(carried) {
  if (carried.format !== 1 || !Object.hasOwn(CHECKERS, carried.family)) refuse("this kind of proof is not known here")
  return yield* CHECKERS[carried.family](carried)
}
