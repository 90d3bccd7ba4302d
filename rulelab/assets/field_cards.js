const set = (node, name, value) => { if (node[name] !== value) { node[name] = value } }
const ARROW = `<svg viewBox="0 0 24 24" width="12" height="12" fill="none" stroke="currentColor" stroke-width="2"
  stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M6 9l6 6l6 -6"/></svg>`
let ids = 0

/* Lets the label of a field ask for its entry in the glossary. */
function explain(label, term) {
  if (!label || !term) { return }
  label.dataset.term = term
  label.classList.add("rl-word")
  label.tabIndex = 0
}

function fixing(control) {
  const why = make("p", { className: "note off", id: `field-${++ids}`, hidden: true })
  control.setAttribute("aria-describedby", why.id)
  return [why, (reason) => {
    set(control, "disabled", !!reason)
    set(why, "hidden", !reason)
    set(why, "textContent", reason)
  }]
}

const KINDS = {
  number(field, tell) {
    const input = make("input", { type: "text", className: "bk-input", id: `field-${++ids}`, value: field.value })
    const wrong = make("p")
    wrong.setAttribute("role", "alert")
    const said = make("div", { className: "rl-wrong" })
    input.addEventListener("change", () => tell(input.value))
    const label = make("label", { htmlFor: input.id, textContent: field.label })
    const group = make("div", { className: "bk-input-group" }, label)
    group.append(make("div", { className: "bk-input-container" }, input))
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
    const select = make("select", { className: "bk-input", id: `field-${++ids}` })
    select.addEventListener("change", () => tell(select.value))
    const label = make("label", { htmlFor: select.id, textContent: field.label })
    let options = ""
    const [why, fix] = fixing(select)
    return {
      nodes: [make("div", { className: "bk-input-group" }, label, select), why],
      show(now) {
        fix(now.off)
        const wanted = JSON.stringify(now.options)
        if (wanted !== options) {
          options = wanted
          select.replaceChildren(...now.options.map((text) => make("option", { value: text, textContent: text })))
        }
        set(select, "value", now.value)
      },
    }
  },
  switch(field, tell) {
    const box = make("input", { type: "checkbox" })
    box.addEventListener("change", () => tell(box.checked))
    return {
      nodes: [make("label", { className: "switch" }, box, make("span", { textContent: field.label }))],
      show(now) { set(box, "checked", now.value) },
    }
  },
  switches(field, tell) {
    const boxes = field.options.map(() => make("input", { type: "checkbox" }))
    const group = make("div", { className: "switches" }, ...field.options.map(
      (text, i) => make("label", {}, boxes[i], make("span", { textContent: text }))))
    group.setAttribute("role", "group")
    group.setAttribute("aria-label", field.label)
    group.addEventListener("change", () => tell(field.options.filter((_, i) => boxes[i].checked)))
    return {
      nodes: [make("p", { className: "note", textContent: field.label }), group],
      show(now) { boxes.forEach((box, i) => set(box, "checked", now.value.includes(field.options[i]))) },
    }
  },
  note(field) {
    return { nodes: [make("p", { className: "note", textContent: field.label })], show() {} }
  },
}

function card(open, tell) {
  const title = make("h2")
  const head = make("button", { type: "button", className: "card-header" })
  const arrow = make("span", { className: "arrow", innerHTML: ARROW })
  head.append(arrow, title)
  const body = make("div", { className: "body" })
  const node = make("section", {}, head, body)
  const fold = (is) => { body.hidden = !is; head.setAttribute("aria-expanded", is); node.classList.toggle("open", is) }
  head.addEventListener("click", () => fold(body.hidden))
  fold(open)
  let fields = [], known = "", wrong = "", wanted = ""
  const filter = () => {
    const found = fields.filter(({ place, label }) => {
      place.classList.toggle("away", !label.includes(wanted))
      return label.includes(wanted) && !(wanted && place.hidden)
    })
    node.classList.toggle("away", !found.length)
    return found.length > 0
  }
  return {
    node,
    /* Show only the fields whose labels hold this text, and say whether there are any; an empty one shows all. */
    find(text) {
      wanted = text
      if (text) { fold(true) }
      return filter()
    },
    show(now) {
      set(title, "textContent", now.title)
      const shape = JSON.stringify(now.fields.map((one) => [one.kind, one.key, one.label]))
      if (shape !== known) {
        known = shape
        fields = now.fields.map((one) => {
          const made_ = KINDS[one.kind](one, (value) => tell({ key: one.key, value }))
          const place = make("div", { className: `field of-${one.kind}` }, ...made_.nodes)
          explain(place.querySelector(".bk-input-group label, .switch span, .of-switches > .note"), one.term)
          return { place, show: made_.show, label: one.label.toLowerCase() }
        })
        body.replaceChildren(...fields.map((one) => one.place))
        filter()
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
  const root = make("div", { className: "cards" })
  const cards = model.cards.map((one) => card(one.open, (message) => model.send_msg(message)))
  const find = make("input", { type: "search", className: "bk-input find", placeholder: "Find a setting" })
  find.setAttribute("aria-label", find.placeholder)
  const none = make("p", { className: "note" })
  none.setAttribute("role", "status")
  find.addEventListener("input", () => {
    const found = cards.filter((one) => one.find(find.value.trim().toLowerCase()))
    none.textContent = found.length ? "" : "No setting here is called so."
  })
  root.append(find, none, ...cards.map((one) => one.node))
  const show = () => model.cards.forEach((one, i) => cards[i].show(one))
  model.on("cards", show)
  show()
  return root
}
