/* The proof that the book works out by hand, whole and tampered with, and costs in whole numbers. */
import assert from "node:assert/strict"
import test from "node:test"
import { load } from "./load.mjs"

const { checkProof, costsOf, fraction } = load(
  ["proof_format.js", "proof_checker.js", "falling_checker.js"], ["checkProof", "costsOf", "fraction"])

const base64 = (bytes) => Buffer.from(bytes).toString("base64")
const bytes = (...rows) => ({ type: "|u1", shape: [rows.length, rows[0].length], base64: base64(rows.flat()) })
const integers = (...numbers) => ({
  type: "<i8", shape: [numbers.length], base64: base64(new Uint8Array(BigInt64Array.from(numbers.map(BigInt)).buffer)),
})

/* 30 rows: those of which one of two conditions holds are positive. A rule costs 3 errors. */
const proof = () => ({
  format: 1,
  family: "rule_list",
  parameters: { regularization: 0.1 },
  counts: {
    antecedents: 2,
    patterns: bytes([0x00], [0x40], [0x80], [0xc0]),
    positives: integers(0, 8, 7, 0),
    negatives: integers(9, 0, 0, 6),
  },
  model: [
    { if: 0, predicts: 1, positives: 7, negatives: 6 },
    { if: 1, predicts: 1, positives: 8, negatives: 0 },
    { if: null, predicts: 0, positives: 0, negatives: 9 },
  ],
  arrays: { sets: bytes([0xf0]), values: integers(12) },
})

const checked = (change) => {
  const changed = proof()
  change(changed)
  const steps = checkProof(changed)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

test("the proof of the book holds", () => {
  assert.deepEqual(checked(() => null), { sets: 1, inequalities: 3, objective: 6 / 30 + 0.1 * 2 })
})

const TAMPERED = {
  "a list that costs more": [(p) => p.model.splice(1, 1), /captures 8 and 9|claims/],
  "the other label": [(p) => { p.model[0].predicts = 0 }, /majority/],
  "a row more": [(p) => { p.counts.positives = integers(0, 9, 7, 0) }, /rule 2 of the model claims/],
  "a class turned": [(p) => { p.counts.negatives = integers(9, 0, 0, -6) }, /negative/],
  "a lower bound": [(p) => { p.arrays.values = integers(11) }, /does not cost/],
  "a cheaper rule": [(p) => { p.parameters.regularization = 0.05 }, /does not cost/],
  "no set of all": [(p) => { p.arrays.sets = bytes([0x70]) }, /set of all/],
  "a set twice": [(p) => { p.arrays = { sets: bytes([0xf0], [0xf0]), values: integers(12, 12) } }, /twice/],
  "a set that costs less": [
    (p) => { p.arrays = { sets: bytes([0xf0], [0xa0]), values: integers(12, 4) } }, /set 1 .* nothing shows/],
  "too much for the default rule": [
    (p) => { p.arrays = { sets: bytes([0xf0], [0x80]), values: integers(12, 1) } }, /set 1 of the table: the default/],
  "another family": [(p) => { p.family = "rule_set" }, /not known/],
  "more parameters": [(p) => { p.parameters.lower_bound = 0.1 }, /not known/],
}

for (const [what, [change, reason]] of Object.entries(TAMPERED)) {
  test(`${what} is refused`, () => assert.throws(() => checked(change), reason))
}

test("costs are whole numbers, as a decimal says, or of a simpler fraction that orders lists alike", () => {
  assert.deepEqual(fraction(1e-7), [1n, 10_000_000n])
  assert.deepEqual(costsOf(0.005, 7214n, 609), { perRule: 3607n, perError: 100n })
  const { perRule, perError } = costsOf(0.0031622776601683794, 2n ** 40n, 50)
  assert.ok(perError * 2n ** 40n < 2n ** 61n)
  assert.ok(Math.abs(Number(perRule) / Number(perError) / 2 ** 40 - 0.0031622776601683794) < 1e-15)
  assert.throws(() => costsOf(1, 10n, 2), /below 1/)
})
