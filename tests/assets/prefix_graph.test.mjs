/* The graph of near-optimal lists in the browser: how it is unpacked, and what can come of each prefix. */
import assert from "node:assert/strict"
import test from "node:test"
import { deflateSync } from "node:zlib"
import { load } from "./load.mjs"

const { ints, unpacked, weighed, shown, several } = load(
  ["dom.js", "prefix_graph.js", "builder.js"], ["ints", "unpacked", "weighed", "shown", "several"])

/* Byte by byte, the lowest of all numbers first. */
const bytes = (numbers) => [0, 8, 16, 24].flatMap((shift) => numbers.map((number) => (number >> shift) & 255))

/* 8 rows, 4 of them positive. Rule 0 captures two negatives, rule 1 two positives, in either order; a third node has
   both behind it, and the model of it is the same whichever came first. */
const said = { nodes: 4, edges: 4, whole: true, total: 8, regularization: 0.125, models: 2 }
const counts = [2, 1, 1, 0], models = [-1, -1, 1, 0]
const steps = [1, 1, 1, 0]  // to nodes 1, 2, 3, 3
const rules = [0, 1, 1, 0], labels = [0, 1, 1, 0]
const negatives = [4, 2, 4, 2], positives = [4, 4, 2, 2]
const pack = (...columns) => deflateSync(Uint8Array.from(columns.flatMap(bytes))).toString("base64")
const packed = pack(counts, models, steps, rules, labels, positives, negatives)  // what label 0 gets wrong comes first

test("numbers of four bytes are read, negative ones too", () => {
  const numbers = [0, 255, 256, -1, 2 ** 31 - 1, -(2 ** 31)]
  assert.deepEqual([...ints(Uint8Array.from([9, ...bytes(numbers)]), 1, numbers.length)], numbers)
})

test("a packed graph is unpacked", async () => {
  const graph = await unpacked({ ...said, packed })
  assert.deepEqual([...graph.first], [0, 2, 3, 4, 4])
  assert.deepEqual([...graph.to], [1, 2, 3, 3])
  assert.deepEqual([...graph.rule], rules)
  assert.deepEqual(graph.left.map((each) => [...each]), [positives, negatives])
})

test("weights that are not whole come as numbers of eight bytes", async () => {
  const halves = [positives, negatives].map((each) => each.map((weight) => weight / 2))
  const whole = [counts, models, steps, rules, labels].flatMap(bytes)
  const rest = new Uint8Array(Float64Array.from(halves.flat()).buffer)
  const both = deflateSync(Uint8Array.from([...whole, ...rest])).toString("base64")
  const graph = await unpacked({ ...said, whole: false, packed: both })
  assert.deepEqual(graph.left.map((each) => [...each]), halves)
})

test("each prefix knows its lists, its models, and the least that they cost from there on", async () => {
  const graph = weighed(await unpacked({ ...said, packed }), said)
  assert.deepEqual([...graph.lists], [3, 1, 2, 1])
  assert.equal(graph.models(0), 2)
  assert.equal(graph.models(1), 1)
  // at the last two nodes two of the rows that are left are wrong; a rule costs an eighth, and is right
  assert.deepEqual([...graph.least], [0.375, 0.375, 0.25, 0.25])
  assert.deepEqual(graph.captured(0, 0), [0, 2])
  assert.equal(graph.wrong(0, 0), 0)
})

test("numbers are read in groups of three digits", () => {
  assert.equal(shown(1234567), "1\u202f234\u202f567")
  assert.equal(shown(1e20), "1.0e+20")
  assert.equal(shown(0.0000173923), "0.0000173923")
  assert.equal(shown(803.84215), "803.842")
  assert.equal(several(1, "list"), "1 list")
  assert.equal(several(2000, "list"), "2\u202f000 lists")
})
