/* What plots say on their axes and in their rectangles. */
import assert from "node:assert/strict"
import test from "node:test"
import { load } from "./load.mjs"

const { short, powers } = load(["ticks.js"], ["short", "powers"])
const { fitting, prefix } = load(["tree.js"], ["fitting", "prefix"])

test("numbers are short, and lose no more than three digits say", () => {
  const expected = [[0, "0"], [7, "7"], [0.1 + 0.2, "0.3"], [999, "999"], [1000, "1k"], [-20500, "-20.5k"],
    [1234567, "1.23M"], [2e9, "2G"], [1.5e12, "1500G"]]
  for (const [number, text] of expected) { assert.equal(short(number), text) }
})

test("a logarithmic axis has round numbers, more of them where it is short", () => {
  const numbers = (start, end) => powers({ start, end }).map((power) => Number((10 ** power).toPrecision(3)))
  assert.deepEqual(numbers(0, 4), [1, 10, 100, 1000, 10000])
  assert.deepEqual(numbers(0, 2), [1, 3, 10, 30, 100])
  assert.deepEqual(numbers(0, 1), [1, 2, 5, 10])
  assert.deepEqual(numbers(0, 8), [1, 100, 1e4, 1e6, 1e8])
})

test("an axis between two round numbers has ticks all the same, within it", () => {
  const found = powers({ start: 0.75, end: 0.85 })
  assert.equal(found.length, 3)
  for (const place of found) { assert.ok(place > 0.75 && place < 0.85) }
})

const nodes = { data: { left: [0, 0], right: [1, 0.1], top: [0, 1], bottom: [1, 2], rule: ["the first rule of all", "b"] } }
const of = (width, height) => ({ plot: { inner_width: width, inner_height: height }, range: { start: 0, end: 1 },
  rows: { start: 2, end: 0 }, nodes, size: 10 })

test("words stand where they find room, and are cut where they find half of it", () => {
  assert.deepEqual(fitting(of(1000, 100)).text, ["the first rule of all", "b"])
  const cut = fitting(of(90, 100))
  assert.deepEqual(cut.text, ["the first rul…"])
  assert.deepEqual([cut.x, cut.y], [[0.5], [0.5]])
})

test("rows that are too low, and a plot that has no width yet, have no words", () => {
  assert.deepEqual(fitting(of(1000, 20)).text, [])
  assert.deepEqual(fitting(of(0, 100)).text, [])
})

test("words stand in the middle of what is seen of a rectangle", () => {
  assert.equal(fitting({ ...of(1000, 100), range: { start: 0.5, end: 1 } }).x[0], 0.75)
})

test("a rectangle stands for the rules on the way to it", () => {
  const tree = { rule: ["", "a then 1", "b then 0", "40 cut"], above: [-1, 0, 1, 1], alone: [true, true, true, false] }
  assert.equal(prefix(tree, 0), "no rule yet")
  assert.equal(prefix(tree, 2), "if a then 1\nelse if b then 0")
  assert.equal(prefix(tree, 3), "if a then 1", "what stands together goes on from the rectangle above")
})
