/* What a report carries with its proof: arrays, counts, the model, and costs in whole numbers.

Costs are whole numbers: an error costs `perError` and a rule `perRule`. Weights (numbers of rows) are Numbers below
2^49, of which 12 add up exactly. Costs are Numbers where 2^53 cannot be reached, else BigInts: they are never mixed. */

const MOST_WEIGHT = 2n ** 49n
const LARGEST_COST = 2n ** 61n

const refuse = (reason) => {
  throw new Error(reason)
}

/* An array of the file: {type: "|u1" or "<i8", shape, base64}; `data`: Uint8Array, or BigInts in an Array. */
const readArray = (given, name, type, axes) => {
  if (!given || given.type !== type || given.shape.length !== axes) refuse(`${name} of the proof is of another form`)
  const bytes = Uint8Array.from(atob(given.base64), (sign) => sign.charCodeAt(0))
  const size = given.shape.reduce((product, n) => product * n, type === "<i8" ? 8 : 1)
  if (bytes.length !== size) refuse(`${name} of the proof has ${bytes.length} bytes, not ${size}`)
  if (type === "|u1") return { shape: given.shape, data: bytes }
  const view = new DataView(bytes.buffer)
  return { shape: given.shape, data: Array.from({ length: size / 8 }, (_, k) => view.getBigInt64(8 * k, true)) }
}

/* Row `k` of a packed Boolean matrix (the first column in the highest bit) as 0 and 1: Uint8Array of n columns. */
const unpackRow = ({ shape, data }, k, n) => {
  const [row, start] = [new Uint8Array(n), k * shape[1]]
  for (let j = 0; j < n; j++) row[j] = (data[start + (j >> 3)] >> (7 - (j & 7))) & 1
  return row
}

const keyOf = (bits) => bits.join("")
const sum = (numbers) => numbers.reduce((total, n) => total + n, 0)
const ascending = (a, b) => (a < b ? -1 : a > b ? 1 : 0)

/* Quotients of costs, rounded up: Numbers or BigInts, b > 0. */
const ceilDiv = (a, b) => {
  const rest = a % b
  return Number((a - rest) / b) + (rest > 0 ? 1 : 0)
}

/* costs ------------------------------------------------------------------------------------------------------------ */
const gcd = (a, b) => (b ? gcd(b, a % b) : a)
const least = (a, b) => (a < b ? a : b)
const most = (a, b) => (a > b ? a : b)

/* The decimal that a number is written as, as a fraction of BigInts. */
const fraction = (value) => {
  const [, whole, digits = "", exponent = "0"] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value))
  const shift = Number(exponent) - digits.length
  const [p, q] = [BigInt(whole + digits) * 10n ** BigInt(Math.max(shift, 0)), 10n ** BigInt(Math.max(-shift, 0))]
  return [p / gcd(p, q), q / gcd(p, q)]
}

/* The fractions a / b and c / d of at most this denominator next to p / q, which is none (the Farey sequence). */
const neighbours = ([p, q], denominator) => {
  let [a, b, c, d] = [p / q, 1n, p / q + 1n, 1n]
  for (;;) {
    const k = least((p * b - a * q - 1n) / (c * q - p * d), (denominator - b) / d)
    ;[a, b] = [a + k * c, b + k * d]
    const j = least((c * q - p * d - 1n) / (p * b - a * q), (denominator - d) / b)
    ;[c, d] = [c + j * a, d + j * b]
    if (!k && !j) return [a, b, c, d]
  }
}

/* A price p / q of a rule in errors, in lowest terms, or a simpler fraction that puts lists into the same order.

Two lists differ by some errors and by at most `longest` rules, so any fraction serves that has no fraction of a
denominator up to that between itself and the price. No cost, of `total` errors at most, may reach `limit`. */
const simpler = ([p, q], longest, limit, total) => {
  const price = [p / gcd(p, q), q / gcd(p, q)]
  const [rules, largest] = [most(longest, 1n), (limit - 1n) / total]
  if (price[1] <= largest) return price
  if (largest < 2n * rules) refuse("the costs have too many digits for exact sums")
  const [a, b, c, d] = neighbours(price, least(largest, most(2n ** 24n, 2n * rules)))
  const [under, of] = neighbours(price, rules)
  return a * of > under * b ? [a, b] : [c, d]
}

/* Whole costs of an error, which is 1 / n of n rows, and of a rule, whose price is n times the regularization. */
const costsOf = (regularization, total, nAntecedents) => {
  if (!(regularization > 0 && regularization < 1)) refuse("the regularization must be above 0 and below 1")
  const [p, q] = fraction(regularization)
  const longest = least(BigInt(nAntecedents), q / (2n * p) + 2n) /* more rules cost more than the default rule alone */
  const [perRule, perError] = simpler([p * total, q], longest, LARGEST_COST, total)
  if (perRule < 1n) refuse("the regularization is too small for exact sums")
  return { perRule, perError }
}

/* the counts and the model ----------------------------------------------------------------------------------------- */
/* The patterns of the conditions with their weights: `holds`, rows of 0 and 1; Numbers of rows of either class. */
const readCounts = (counts) => {
  const nAntecedents = counts.antecedents
  const packed = readArray(counts.patterns, "patterns", "|u1", 2)
  const [positives, negatives] = ["positives", "negatives"].map((name) => readArray(counts[name], name, "<i8", 1).data)
  const n = packed.shape[0]
  const isWhole = Number.isInteger(nAntecedents) && packed.shape[1] === Math.ceil(nAntecedents / 8)
  if (!isWhole || positives.length !== n || negatives.length !== n) {
    refuse("the counts are not of the patterns")
  }
  const total = [...positives, ...negatives].reduce((a, b) => a + b, 0n)
  if ([...positives, ...negatives].some((weight) => weight < 0n) || total < 1n || total >= MOST_WEIGHT) {
    refuse("a count is negative, or there are too many for exact sums")
  }
  const holds = positives.map((_, u) => unpackRow(packed, u, nAntecedents))
  if (new Set(holds.map(keyOf)).size < n) refuse("a pattern is there twice")
  return { holds, nAntecedents, total, positives: positives.map(Number), negatives: negatives.map(Number) }
}

/* Counts what each rule captures; returns errors by its own labels and by majorities. `model`: [{if, predicts,
positives, negatives}], the default rule last, whose `if` is null. */
const readModel = (model, { holds, nAntecedents, positives, negatives }) => {
  let left = holds.map((_, u) => u)
  let [errors, fewest] = [0, 0]
  model.forEach((rule, k) => {
    const last = k === model.length - 1
    const known = Number.isInteger(rule.if) && rule.if >= 0 && rule.if < nAntecedents
    const right = last ? rule.if === null : known
    if (!right || ![0, 1].includes(rule.predicts)) refuse(`rule ${k + 1} of the model is none`)
    const captured = last ? left : left.filter((u) => holds[u][rule.if])
    const [p, n] = [positives, negatives].map((weights) => sum(captured.map((u) => weights[u])))
    if (rule.positives !== p || rule.negatives !== n) {
      const claimed = `${rule.positives} and ${rule.negatives} rows`
      refuse(`rule ${k + 1} of the model claims ${claimed}, but captures ${p} and ${n}`)
    }
    left = last ? [] : left.filter((u) => !holds[u][rule.if])
    errors += rule.predicts ? n : p
    fewest += Math.min(p, n)
  })
  if (!model.length) refuse("the model has no default rule")
  return { errors, fewest, rules: model.length - 1 }
}

/* what matters for an optimal list --------------------------------------------------------------------------------- */
/* Patterns and antecedents that matter, found anew until nothing more can go.

Of a pattern the lighter class is wrong in every list, so its net weight counts, and none of it where both are equal.
Patterns that no antecedent tells apart are one. An antecedent goes that equals an earlier one, that holds for all
patterns (a default rule that costs a rule), or whose heavier label does not weigh more than a rule costs. Patterns
stand in the order of their rows of 0 and 1, those of positive net weight before the others. */
const reduced = (counts, payable) => {
  let antecedents = Array.from({ length: counts.nAntecedents }, (_, j) => j)
  let patterns = counts.holds.map((row, u) => ({ row: [...row], net: counts.positives[u] - counts.negatives[u] }))
  for (;;) {
    const merged = new Map()
    for (const { row, net } of patterns) {
      const key = keyOf(row)
      merged.set(key, { key, row, net: net + (merged.get(key)?.net ?? 0) })
    }
    patterns = [...merged.values()].filter(({ net }) => net).sort((a, b) => ascending(a.key, b.key))
    const earlier = new Set()
    const kept = antecedents.map((_, j) => {
      const column = keyOf(patterns.map(({ row }) => row[j]))
      const isNew = !earlier.has(column)
      earlier.add(column)
      const inside = patterns.filter(({ row }) => row[j])
      const positive = sum(inside.map(({ net }) => Math.max(net, 0)))
      const negative = sum(inside.map(({ net }) => Math.max(-net, 0)))
      return isNew && inside.length < patterns.length && Math.max(positive, negative) > payable
    })
    if (kept.every(Boolean)) break
    antecedents = antecedents.filter((_, j) => kept[j])
    patterns = patterns.map(({ row, net }) => ({ row: row.filter((_, j) => kept[j]), net }))
  }
  const ordered = [...patterns.filter(({ net }) => net > 0), ...patterns.filter(({ net }) => net < 0)]
  return {
    rows: ordered.map(({ row }) => row),
    inside: ordered.map(({ row }) => row.flatMap((holds, j) => (holds ? [j] : []))), /* antecedents of each pattern */
    weights: ordered.map(({ net }) => Math.abs(net)),
    nPositive: ordered.filter(({ net }) => net > 0).length,
    nAntecedents: antecedents.length,
    total: sum(ordered.map(({ net }) => Math.abs(net))),
  }
}

/* What each antecedent captures of a set (Uint8Array of its patterns): `by[0]` of positive, `by[1]` of negative
weight, Float64Arrays of nAntecedents; `all`: of the whole set. */
const captures = (space, members) => {
  const by = [new Float64Array(space.nAntecedents), new Float64Array(space.nAntecedents)]
  const all = [0, 0]
  members.forEach((is, u) => {
    if (!is) return
    const label = u < space.nPositive ? 0 : 1
    all[label] += space.weights[u]
    for (const a of space.inside[u]) by[label][a] += space.weights[u]
  })
  return { by, all }
}

/* `out[r]`: the sum of the r largest numbers, at most what r rules can capture. */
const largestSums = (weights) => {
  const sorted = Float64Array.from(weights).sort().reverse()
  const out = [0]
  for (let r = 1; r <= LONGEST; r++) out.push(out[r - 1] + (sorted[r - 1] ?? 0))
  return out
}
