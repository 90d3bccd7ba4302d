/* Checks the proof that a rule list of two classes is optimal: no search, nothing but what the file carries.

It is a second implementation, from the format and the mathematics (the book, "A report that checks its own proof"),
and shares nothing with `rulelab verify`. `checkRuleList(carried)` is a generator: it yields {done, of} between sets,
returns what was proven, and throws an Error that says what failed.

Let S be a set of patterns of rows that no rule has captured yet, and f(S) what follows costs at least: the errors of
the default rule on S, or those of a first rule, its price, and f of what it leaves. The proof is a table of sets S
with values V(S). V <= f follows by induction on the size of S if for every S of the table

    V(S) <= errors of the default rule on S,   and for each first rule
    V(S) <= errors + price + (at least) f(what it leaves).

The value of all patterns is then the least cost of any list, and the model costs just that. Some optimal list has no
rule whose heavier label, in what it captures, weighs no more than a rule costs: such first rules are left out. */

const LONGEST = 12 /* completions of more rules than this are bounded by the price of their rules alone */
const MOST_CELLS = 2 ** 26 /* pairs, times antecedents */

/* bounds on what follows ------------------------------------------------------------------------------------------- */
/* Whether what is left after the first rule `a` may cost too little, by what `a` and others capture of the set before
it.

`may`: completions of no or one rule; `several`: of more. `need(r)`: the weight that they must get wrong with r rules.
Of the first rules of one label, any order captures the same, so let the one come first that captures most of its
label s in the set, `by[s][a]`: those that follow it, up to a rule of the other label, capture no more each. One rule
b gains at most W_b, less the damage that a has not done already, D_b - D_a. */
const openAfter = (a, need, { by, all, sums, pays }) => {
  const rest = [0, 1].map((s) => all[s] - by[s][a])
  let may = Math.min(...rest) < need(0)
  let several = need(LONGEST + 1) > 0
  if (may && several) return { may, several }
  const gain = [0, 0]
  for (let b = 0; b < by[0].length; b++) {
    if (!pays[b]) continue
    gain[0] = Math.max(gain[0], by[0][b] - Math.max(0, by[1][b] - by[1][a]))
    gain[1] = Math.max(gain[1], by[1][b] - Math.max(0, by[0][b] - by[0][a]))
  }
  for (const [s, d] of [[0, 1], [1, 0]]) {
    if (by[s][a] < by[d][a]) continue /* s is not the majority in a */
    const wrong = Math.min(rest[s] - Math.min(by[s][a], gain[s]), rest[d] - gain[d])
    may ||= Math.max(wrong, 0) < need(1)
    for (let r = 2; r <= LONGEST && need(r) > 0; r++) {
      const same = Math.min(r * by[s][a], sums[s][r])
      const left = Math.min(rest[s] - Math.max(same, sums[s][r - 1]), rest[d] - sums[d][r])
      several ||= Math.max(left, 0) < need(r)
    }
  }
  return { may, several }
}

/* Whether every completion of a set gets as much wrong as it needs: no rule and one rule exactly, more rules by
bounds. */
const completionsCost = (space, members, need, several) => {
  const { by, all } = captures(space, members)
  if (Math.min(...all) < need(0)) return false
  for (let b = 0; b < space.nAntecedents; b++) {
    const wrong = Math.min(by[0][b], by[1][b]) + Math.min(all[0] - by[0][b], all[1] - by[1][b])
    if (wrong < need(1)) return false
  }
  return !several || severalCost(by, all, need)
}

/* The same of completions of two and more rules. r rules capture at most the r largest weights of a label, and what
the default rule does not predict must be captured. Let it predict d, and b be the one of the ks >= 1 rules for the
other label s that captures most of s in the set: the ks rules capture at most ks times that, and the d-weight in b is
wrong but for what kd rules for d take away before. */
const severalCost = (by, all, need) => {
  if (need(LONGEST + 1) > 0) return false
  const sums = by.map(largestSums)
  const capture = Array.from({ length: LONGEST - 1 }, (_, k) => k + 2)
  const wrong = (r) => Math.max(Math.min(all[0] - sums[0][r], all[1] - sums[1][r]), 0)
  if (!capture.some((r) => wrong(r) < need(r))) return true
  for (const [s, d] of [[0, 1], [1, 0]]) {
    for (let ks = 1; ks <= LONGEST; ks++) {
      for (let kd = Math.max(0, 2 - ks); kd <= LONGEST - ks && need(ks + kd) > 0; kd++) {
        if (all[s] - sums[s][ks] >= need(ks + kd)) break /* whatever the rules for s damage */
        for (let b = 0; b < by[s].length; b++) {
          const captured = Math.min(ks * by[s][b], sums[s][ks])
          const damage = Math.max(by[d][b] - sums[d][kd], 0)
          if (Math.max(all[s] - captured, 0) + damage < need(ks + kd)) return false
        }
      }
    }
  }
  return true
}

/* hints: lemmas and pairs ------------------------------------------------------------------------------------------ */
/* Sets of the table that bound others: a list makes no more errors on fewer patterns, so f(T) >= f(B) - W(B outside
T). `positions`: BigInts, ascending. Used where B has fewer patterns than the set that is looked at, as the induction
asks. */
const readLemmas = (positions, table) => {
  if (positions.some((k, i) => k < (i ? positions[i - 1] + 1n : 0n) || k >= table.length)) {
    refuse("the lemmas are no ascending positions of sets of the table")
  }
  return positions.map((k) => table[Number(k)])
}

const lemmaShows = (space, lemmas, members, size, spareOf) =>
  lemmas.some((lemma) => {
    const spare = lemma.size < size ? spareOf(lemma.value) : -1 /* weight that B may have outside */
    let missing = 0
    for (let u = 0; u < members.length && missing <= spare; u++) {
      if (lemma.members[u] && !members[u]) missing += space.weights[u]
    }
    return missing <= spare
  })

/* Pairs of a positive and a negative pattern with multipliers. While both are uncaptured, one is wrong in the end, or
a rule captures the one of its label alone. So the multipliers of pairs within a set add up to no more than its
completions cost, if those of each pattern add up to at most what its errors cost, and those that an antecedent tells
apart, by label, to at most what a rule costs: `parts` of a unit each. Returns null without pairs. Multipliers stay
BigInts. */
const readPairs = (arrays, space, { perError, perRule }) => {
  const names = ["pairs", "multipliers", "parts"].filter((name) => name in arrays)
  if (!names.length) return null
  if (names.length < 3) refuse("pairs, multipliers and parts belong together")
  const [pairs, u, [parts]] = [["pairs", 2], ["multipliers", 1], ["parts", 1]].map(
    ([name, axes]) => readArray(arrays[name], name, "<i8", axes).data,
  )
  const [m, end] = [space.nAntecedents, space.rows.length]
  if (arrays.parts.shape[0] !== 1 || arrays.pairs.shape[1] !== 2 || pairs.length !== 2 * u.length) {
    refuse("there must be two positions and one multiplier for each pair")
  }
  if (u.length * m > MOST_CELLS) refuse("there are too many pairs")
  const costs = most(perRule, perError * BigInt(space.total))
  if (parts < 1n || parts * costs >= LARGEST_COST || u.some((each) => each < 0n)) {
    refuse("a multiplier is negative or exceeds all costs")
  }
  const ends = u.map((_, i) => [pairs[2 * i], pairs[2 * i + 1]].map(Number))
  const [ofPattern, ofRule] = [Array(end).fill(0n), Array(2 * m).fill(0n)]
  const told = ends.map(([first, second], i) => {
    if (!(first >= 0 && first < space.nPositive && second >= space.nPositive && second < end)) {
      refuse("a pair is not of a positive and a negative pattern")
    }
    ofPattern[first] += u[i]
    ofPattern[second] += u[i]
    const alone = [
      ...space.inside[first].filter((a) => !space.rows[second][a]),
      ...space.inside[second].filter((a) => !space.rows[first][a]).map((a) => m + a),
    ]
    for (const rule of alone) ofRule[rule] += u[i]
    return alone /* rules that tell the pair apart: of the positive label, and m more of the negative one */
  })
  const touched = ends.map(([first, second]) => [...new Set([...space.inside[first], ...space.inside[second]])])
  if (ofPattern.some((asked, v) => asked > parts * perError * BigInt(space.weights[v]))) {
    refuse("the multipliers of a pattern exceed what its errors cost")
  }
  if (ofRule.some((asked) => asked > parts * perRule)) refuse("the multipliers that a rule pays exceed what it costs")
  return { ends, told, touched, multipliers: u, parts }
}

/* What pairs with multipliers u pay within a set, in parts: `all` of them, and `after[a]` those that a rule leaves. */
const paid = ({ space, pairs, exact }, u) => {
  let all = exact(0)
  const captured = Array(space.nAntecedents).fill(all)
  u.forEach((each, i) => {
    if (!each) return
    all += each
    for (const a of pairs.touched[i]) captured[a] += each
  })
  return { all, after: captured.map((some) => all - some) }
}

/* Multipliers raised for one set, pair after pair, as far as its errors and rules can pay; rules that do not pay for
themselves in the set are free. `by`: what antecedents capture of it. */
const raised = ({ space, pairs, parts, exact, perError, perRule }, members, within, by) => {
  const error = space.weights.map((weight, v) => (members[v] ? parts * perError * exact(weight) : exact(0)))
  const free = exact(2 ** 61)
  const rule = [...by[0], ...by[1]].map((weight) => (perError * exact(weight) > perRule ? parts * perRule : free))
  const u = [...within]
  const pay = (i, amount) => {
    for (const v of pairs.ends[i]) error[v] -= amount
    for (const r of pairs.told[i]) rule[r] -= amount
  }
  within.forEach((amount, i) => amount && pay(i, amount))
  pairs.ends.forEach(([first, second], i) => {
    const left = pairs.told[i].reduce((left, r) => least(left, rule[r]), least(error[first], error[second]))
    if (!(left > 0)) return
    pay(i, left)
    u[i] += left
  })
  return u
}

/* the table -------------------------------------------------------------------------------------------------------- */
/* The sets with their values and sizes: [{members, value, size}]; values are BigInts. */
const readTable = (arrays, space, { perError }) => {
  const known = ["sets", "values", "lemmas", "pairs", "multipliers", "parts"]
  if (Object.keys(arrays).some((name) => !known.includes(name))) refuse("the proof holds something that is not known")
  const sets = readArray(arrays.sets, "sets", "|u1", 2)
  const values = readArray(arrays.values, "values", "<i8", 1).data
  const n = space.rows.length
  if (sets.shape[0] !== values.length || sets.shape[1] !== Math.ceil(n / 8)) {
    refuse("the sets are not of these patterns")
  }
  if (values.some((value) => value < 0n || value > perError * BigInt(space.total))) {
    refuse("a value of the table is negative or exceeds all costs")
  }
  const beyond = 8 * sets.shape[1]
  return values.map((value, k) => {
    const members = unpackRow(sets, k, beyond)
    if (members.subarray(n).some(Boolean)) refuse(`set ${k} holds patterns that there are not`)
    return { members: members.subarray(0, n), value, size: sum(members) }
  })
}

/* Checks all inequalities of one set; `proof`: what `checkRuleList` has read. */
const checkSet = (proof, { members, value, size }, k) => {
  const { space, pairs, exact, perError, perRule } = proof
  const within = pairs && pairs.multipliers.map((u, i) => (pairs.ends[i].every((v) => members[v]) ? u : exact(0)))
  const known = pairs && paid(proof, within)
  const shows = (sum, required) => sum > proof.parts * (required - exact(1)) /* in whole costs, rounded up */
  if (pairs && shows(known.all, value)) return
  const { by, all } = captures(space, members)
  if (value > perError * exact(Math.min(...all))) refuse(`set ${k} of the table: the default rule alone costs less`)
  const pays = Array.from(by[0], (weight, a) => Math.max(weight, by[1][a]) > proof.payable)
  const before = { by, all, sums: by.map(largestSums), pays }
  const needs = Array.from({ length: LONGEST + 2 }, (_, r) => ceilDiv(value - exact(r + 1) * perRule, perError))
  let more = null
  for (let a = 0; a < space.nAntecedents; a++) {
    const lighter = Math.min(by[0][a], by[1][a])
    if (!pays[a] || lighter >= needs[0]) continue
    const required = value - perRule - perError * exact(lighter) /* what is left has to cost so much, */
    const need = (r) => needs[r] - lighter /* or with r rules, to get so much weight wrong */
    if (pairs && shows(known.after[a], required)) continue
    const { may, several } = openAfter(a, need, before)
    if (!may && !several) continue
    const left = members.map((is, u) => (is && !space.rows[u][a] ? 1 : 0))
    if ((proof.values.get(keyOf(left)) ?? -1) >= required) continue
    const spareOf = (of) => (of < required ? -1 : ceilDiv(of - required + exact(1), perError) - 1)
    if (lemmaShows(space, proof.lemmas, left, size, spareOf)) continue
    if (completionsCost(space, left, need, several)) continue
    more ??= pairs && paid(proof, raised(proof, members, within, by))
    if (pairs && shows(more.after[a], required)) continue
    refuse(`set ${k} of the table: nothing shows that what its rule ${a} leaves costs ${required}`)
  }
}

function* checkRuleList(carried) {
  if (Object.keys(carried.parameters).join() !== "regularization") refuse("the proof has parameters that are not known")
  const counts = readCounts(carried.counts)
  const { errors, fewest, rules } = readModel(carried.model, counts)
  const costs = costsOf(carried.parameters.regularization, counts.total, counts.nAntecedents)
  const { perError, perRule } = costs
  const payable = Number(perRule / perError)
  const space = reduced(counts, payable)
  const table = readTable(carried.arrays, space, costs)
  const constant = (counts.total - BigInt(space.total)) / 2n /* weight that every list gets wrong */
  const root = table.find(({ size }) => size === space.rows.length)
  if (!root) refuse("the table does not hold the set of all patterns")
  if (root.value + perError * constant !== perError * BigInt(fewest) + perRule * BigInt(rules)) {
    refuse("the model does not cost what the table claims")
  }
  if (errors > fewest) refuse("a rule of the model does not predict the majority of what it captures")
  const pairs = readPairs(carried.arrays, space, costs)
  const parts = pairs?.parts ?? 1n
  const isSmall = parts * (perError * BigInt(space.total) + BigInt(LONGEST + 2) * perRule) < 2n ** 53n
  const exact = isSmall ? Number : BigInt
  for (const entry of table) entry.value = exact(entry.value)
  const values = new Map(table.map(({ members, value }) => [keyOf(members), value]))
  if (values.size < table.length) refuse("a set is in the table twice")
  const positions = "lemmas" in carried.arrays ? readArray(carried.arrays.lemmas, "lemmas", "<i8", 1).data : []
  const proof = {
    ...{ space, exact, payable, values, perError: exact(perError), perRule: exact(perRule), parts: exact(parts) },
    lemmas: readLemmas(positions, table),
    pairs: pairs && { ...pairs, multipliers: pairs.multipliers.map(exact) },
  }
  for (const [k, entry] of table.entries()) {
    yield { done: k, of: table.length }
    checkSet(proof, entry, k)
  }
  return {
    sets: table.length,
    inequalities: table.length * (1 + space.nAntecedents),
    objective: errors / Number(counts.total) + carried.parameters.regularization * rules,
  }
}
