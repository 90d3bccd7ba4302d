/* The walk over twelve rows: lists in words, and the prefix that excludes a list. */
import assert from "node:assert/strict"
import test from "node:test"
import { readFileSync } from "node:fs"

const text = readFileSync(new URL("../../rulelab/assets/twelve.js", import.meta.url), "utf-8").split("export function")[0]
const { excluded, worded } = new Function(`${text}return { excluded, worded }`)()

test("the first prefix that reaches the best list excludes all that begin so", () => {
  const prefixes = { a: { bound: 1 }, "a,b": { bound: 2 }, "a,b,c": { bound: 3 }, b: { bound: 1 } }
  assert.equal(excluded(["a", "b", "c"], prefixes, 2), "a,b")
  assert.equal(excluded(["b"], prefixes, 2), null)
  assert.equal(excluded([], prefixes, 2), null)
})

test("a list is said in words", () => {
  assert.equal(worded([], { rules: [], default: "pays" }), "always pays")
  assert.equal(worded(["a", "b"], { rules: ["pays", "defaults"], default: "pays" }), "if a then pays; else if b then defaults; else pays")
})
