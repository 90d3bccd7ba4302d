"""What the browser does for `rulelab.views.widgets.field_cards`: draws cards of fields, and tells what is chosen."""

from __future__ import annotations

from .explained import SIGN_CSS
from .style import FOCUS, LINE, MUTED, ORANGE, SELECT_CSS, TEXT

ESM = """
const made = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties)
  node.append(...children)
  return node
}
const set = (node, name, value) => { if (node[name] !== value) { node[name] = value } }
const ARROW = `<svg viewBox="0 0 24 24" width="12" height="12" fill="none" stroke="currentColor" stroke-width="2"
  stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M6 9l6 6l6 -6"/></svg>`
let ids = 0

function sign(field) {
  const mark = made("span", { textContent: "?", ariaHidden: "true" })
  const told = made("span", { className: "rl-told", textContent: `Explanation: ${field.label}` })
  const why = made("button", { type: "button", className: "rl-why rl-corner" }, mark, told)
  why.dataset.term = field.term
  return why
}

function fixing(control) {
  const why = made("p", { className: "note off", id: `field-${++ids}`, hidden: true })
  control.setAttribute("aria-describedby", why.id)
  return [why, (reason) => {
    set(control, "disabled", !!reason)
    set(why, "hidden", !reason)
    set(why, "textContent", reason)
  }]
}

const KINDS = {
  number(field, tell) {
    const input = made("input", { type: "text", className: "bk-input", id: `field-${++ids}`, value: field.value })
    const wrong = made("p")
    wrong.setAttribute("role", "alert")
    const said = made("div", { className: "rl-wrong" })
    input.addEventListener("change", () => tell(input.value))
    const label = made("label", { htmlFor: input.id, textContent: field.label })
    const group = made("div", { className: "bk-input-group" }, label)
    group.append(made("div", { className: "bk-input-container" }, input))
    let last = field.value
    const [why, fix] = fixing(input)
    return {
      nodes: [group, said, why],
      show(now) {
        fix(now.off)
        set(input, "placeholder", now.placeholder)
        if (last !== now.value) { last = input.value = now.value }
        input.toggleAttribute("aria-invalid", !!now.wrong)
        if (wrong.textContent !== now.wrong) {
          wrong.textContent = now.wrong
          said.replaceChildren(...(now.wrong ? [wrong] : []))
        }
      },
    }
  },
  choice(field, tell) {
    const select = made("select", { className: "bk-input", id: `field-${++ids}` })
    select.addEventListener("change", () => tell(select.value))
    const label = made("label", { htmlFor: select.id, textContent: field.label })
    let options = ""
    const [why, fix] = fixing(select)
    return {
      nodes: [made("div", { className: "bk-input-group" }, label, select), why],
      show(now) {
        fix(now.off)
        const wanted = JSON.stringify(now.options)
        if (wanted !== options) {
          options = wanted
          select.replaceChildren(...now.options.map((text) => made("option", { value: text, textContent: text })))
        }
        set(select, "value", now.value)
      },
    }
  },
  switch(field, tell) {
    const box = made("input", { type: "checkbox" })
    box.addEventListener("change", () => tell(box.checked))
    return {
      nodes: [made("label", { className: "switch" }, box, made("span", { textContent: field.label }))],
      show(now) { set(box, "checked", now.value) },
    }
  },
  switches(field, tell) {
    const boxes = field.options.map(() => made("input", { type: "checkbox" }))
    const group = made("div", { className: "switches" }, ...field.options.map(
      (text, i) => made("label", {}, boxes[i], made("span", { textContent: text }))))
    group.setAttribute("role", "group")
    group.setAttribute("aria-label", field.label)
    group.addEventListener("change", () => tell(field.options.filter((_, i) => boxes[i].checked)))
    return {
      nodes: [made("p", { className: "note", textContent: field.label }), group],
      show(now) { boxes.forEach((box, i) => set(box, "checked", now.value.includes(field.options[i]))) },
    }
  },
  note(field) {
    return { nodes: [made("p", { className: "note", textContent: field.label })], show() {} }
  },
}

function card(open, tell) {
  const title = made("h2")
  const head = made("button", { type: "button", className: "card-header" })
  const arrow = made("span", { className: "arrow", innerHTML: ARROW })
  head.append(arrow, title)
  const body = made("div", { className: "body" })
  const node = made("section", {}, head, body)
  const fold = (is) => { body.hidden = !is; head.setAttribute("aria-expanded", is); node.classList.toggle("open", is) }
  head.addEventListener("click", () => fold(body.hidden))
  fold(open)
  let fields = [], known = "", wrong = ""
  return {
    node,
    show(now) {
      set(title, "textContent", now.title)
      const shape = JSON.stringify(now.fields.map((one) => [one.kind, one.key, one.label]))
      if (shape !== known) {
        known = shape
        fields = now.fields.map((one) => {
          const made_ = KINDS[one.kind](one, (value) => tell({ key: one.key, value }))
          const place = made("div", { className: `field of-${one.kind}` }, ...made_.nodes)
          if (one.term) { (place.querySelector(".switches") ?? place).append(sign(one)) }
          return { place, show: made_.show }
        })
        body.replaceChildren(...fields.map((one) => one.place))
      }
      now.fields.forEach((one, i) => {
        set(fields[i].place, "hidden", !one.shown)
        fields[i].show(one)
      })
      const complaints = now.fields.map((one) => one.shown && one.wrong ? `${one.key} ${one.wrong}` : "").join("")
      if (complaints && complaints !== wrong) { fold(true) }
      wrong = complaints
    },
  }
}

export function render({ model }) {
  const root = made("div", { className: "cards" })
  const cards = model.cards.map((one) => card(one.open, (message) => model.send_msg(message)))
  root.append(...cards.map((one) => one.node))
  const show = () => model.cards.forEach((one, i) => cards[i].show(one))
  model.on("cards", show)
  show()
  return root
}
"""
CSS = (
    SIGN_CSS
    + SELECT_CSS
    + f"""
:host {{ width: 100%; color: {TEXT}; --current-background-color: var(--mdc-theme-surface, #fff);
  font-size: 16px; line-height: 1.4286; }}
section {{ box-sizing: border-box; border: 1px solid {LINE}; border-radius: 4px; margin-bottom: 10px; overflow: hidden;
  box-shadow: 0 2px 1px -1px rgb(0 0 0 / 20%), 0 1px 1px rgb(0 0 0 / 14%), 0 1px 3px rgb(0 0 0 / 12%); }}
.card-header {{ display: flex; align-items: center; width: 100%; min-height: 49px; box-sizing: border-box;
  padding: 2px 6px; border: 0; color: inherit; text-align: left; cursor: pointer; font: inherit; }}
.card-header:focus-visible {{ {FOCUS} outline-offset: -3px; }}
.arrow {{ width: 12px; margin-right: 3px; line-height: 0; transform: rotate(-90deg); }}
.open .arrow {{ transform: none; }}
h2 {{ font-size: 18.72px; margin: 0; }}
.body {{ padding: 0.1px 0; }}
@media (min-width: 560px) and (max-width: 900px) {{
  .body {{ display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); align-items: start; }}
  .of-switches, .of-note {{ grid-column: 1 / -1; }}
}}
[hidden] {{ display: none !important; }}
.field {{ position: relative; margin: 10px 12px; }}
.field:first-child {{ margin-top: 5px; }}
.field:last-child {{ margin-bottom: 5px; }}
.bk-input-group {{ position: relative; box-sizing: border-box; white-space: nowrap; }}
.rl-wrong p {{ margin: 3px 0 0; padding-left: 8px; border-left: 3px solid {ORANGE}; font-size: 13px; line-height: 1.4;
  overflow-wrap: anywhere; }}
.bk-input {{ display: block; box-sizing: border-box; width: 100%; font-family: inherit; font-size: 13.333px;
  line-height: 1.4375; outline: none; }}
input.bk-input:focus-visible {{ {FOCUS} }}
input.bk-input.bk-input {{ height: 45px; }}
select.bk-input.bk-input {{ height: 37px; appearance: none; background-repeat: no-repeat;
  background-position: right 0.5em center; padding-right: 18px; }}
.note {{ color: {MUTED}; font-size: 13px; line-height: 1.4; margin: 2px 0; overflow-wrap: anywhere; }}
.switches label, .switch {{ display: flex; align-items: center; gap: 3px; padding-right: 20px; line-height: 24px; }}
.of-switches > .note {{ margin-top: 3px; }}
.bk-input::placeholder {{ color: {MUTED}; opacity: 1; font-style: italic; }}
input.bk-input:disabled {{ color: {MUTED} !important; border-style: dotted; cursor: default; }}
.switches {{ position: relative; padding-bottom: 3px; }}
.switch {{ min-height: 36px; gap: 9px; }}
input[type=checkbox] {{ margin: 0; flex: none; width: 17px; height: 17px; accent-color: var(--mdc-theme-primary); }}
input[type=checkbox]:focus-visible {{ {FOCUS} }}
"""
)
