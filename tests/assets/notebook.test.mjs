/* What notebooks run to show a view: parts and views come in any order, and a view waits for its parts. */
import assert from "node:assert/strict"
import { setTimeout as wait } from "node:timers/promises"
import test from "node:test"
import { gzipSync } from "node:zlib"
import { load } from "./load.mjs"

const pack = (text) => gzipSync(text).toString("base64")
const { take_part, take_view, show } = load(
  ["hide.js", "notebook.js", "notebook_show.js"], ["take_part", "take_view", "show"])

const styles = []
class CommManager {
  sent = []
  _document_changed(event) { this.sent.push(event.attr) }
}
globalThis.document = { createElement: () => ({}), head: { append: (one) => styles.push(one.textContent) } }

test("a view is shown once it, its parts and the libraries are there, and hides what stood in its place", async () => {
  globalThis.window = globalThis
  take_view("r1", pack("globalThis.seen = window.rulelabParts.p1"), ["p1"])
  show("r1", 100)
  await wait(150)
  assert.equal(globalThis.seen, undefined)
  take_part("p1", pack(JSON.stringify("long")))
  await wait(50)
  globalThis.Bokeh = { Models: new Map() }
  await wait(250)
  assert.equal(globalThis.seen, "long")
  assert.deepEqual(styles, [".rl-still-r1 { display: none }"])
})

test("what comes from the kernel is not sent back to it, also where Panel is loaded last", async () => {
  Bokeh.Models.set("panel.models.comm_manager.CommManager", CommManager)
  await wait(150)
  const manager = new CommManager()
  manager._document_changed({ attr: "phase", sync: false })
  manager._document_changed({ attr: "value", sync: true })
  assert.deepEqual(manager.sent, ["value"])
})

test("where the libraries are there the still picture is hidden at once", () => {
  styles.length = 0
  take_view("r2", pack(""), [])
  assert.deepEqual(styles, [".rl-still-r2 { display: none }"])
})
