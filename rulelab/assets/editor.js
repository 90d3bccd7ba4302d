export function render({ model }) {
  const root = document.createElement("div")
  root.className = "editor"
  const list = document.createElement("ol")
  list.setAttribute("aria-label", "Rules")
  const add = document.createElement("div")
  add.className = "add"
  const said = document.createElement("p")
  said.className = "aside"
  said.setAttribute("role", "status")
  said.setAttribute("aria-label", "What was changed")
  const heads = document.createElement("div")
  heads.className = "rule heads"
  heads.setAttribute("aria-hidden", "true")
  root.append(heads, list, add, said)
  const make = (kind, name, text = "") => {
    const one = document.createElement(kind)
    one.className = name
    one.textContent = text
    return one
  }
  const ask = (message) => { model.send_msg(message) }
  const of_set = () => model.family === "rule_set"
  let next = null

  const button = (what, sign, name, possible, message, then) => {
    const one = make("button", what, sign)
    one.type = "button"
    one.setAttribute("aria-label", name)
    one.title = name
    one.setAttribute("aria-disabled", String(!possible))
    one.addEventListener("click", () => {
      if (one.getAttribute("aria-disabled") === "true") { return }
      next = then
      ask(message)
    })
    return one
  }
  const target = make("span", "label")
  const counted = make("span", "counts")
  heads.append(make("span", "words", "rule"), target, counted)
  const line = () => {
    const row = make("li", "rule")
    const handle = make("span", "handle", "\u2807")
    handle.title = "Drag to another place"
    handle.setAttribute("aria-hidden", "true")
    const bar = make("span", "bar")
    bar.append(make("i", "right"), make("i", "wrong"))
    row.append(handle, make("span", "words"), make("span", "label"), make("span", "counts"), bar, make("span", "acts"))
    handle.addEventListener("pointerdown", (event) => { drag(event, row) })
    return row
  }
  const put = (node, text) => { if (node.textContent !== text) { node.textContent = text } }
  const fill = (row, k, rule, n) => {
    const [handle, words, label, counts, bar, acts] = row.children
    const last = k === n
    row.classList.toggle("default", last)
    handle.style.visibility = last || of_set() ? "hidden" : ""
    words.replaceChildren(make("span", "kw", rule.kw), " " + rule.words);
    (rule.parts ?? []).forEach(([antecedent, text], i) => {
      if (i) { words.append(" ", make("span", "kw", rule.between), " ") }
      const part = make("span", "part", text)
      part.append(button("remove", "\u2715", `Take ${text} out of rule ${k + 1}`, true,
        { do: "remove", at: k, antecedent }, [k, "remove"]))
      words.append(part)
    })
    const what = last ? "the default" : `rule ${k + 1}`
    label.replaceChildren(model.family === "rule_list"
      ? button("flip", `${rule.label} \u21c4`, `Flip the label of ${what}, now ${rule.label}`, true,
        { do: "flip", at: k }, [k, "flip"])
      : make("span", "says", [rule.share_positive, rule.label].filter(Boolean).join(" \u2192 ")))
    put(counts, rule.counts)
    bar.children[0].style.flexGrow = rule.right
    bar.children[1].style.flexGrow = rule.wrong
    bar.style.setProperty("--share", `${100 * rule.share}%`)
    const order = last || of_set() ? [] : [
      button("up", "\u2191", `Move rule ${k + 1} up`, k > 0, { do: "move", at: k, to: k - 1 }, [k - 1, "up"]),
      button("down", "\u2193", `Move rule ${k + 1} down`, k < n - 1, { do: "move", at: k, to: k + 1 },
        [k + 1, "down"]),
    ]
    acts.replaceChildren(...order, ...(last ? [] : [
      button("delete", "\u2715", `Delete rule ${k + 1}`, true, { do: "delete", at: k }, [k, "delete"]),
    ]))
  }
  const show = () => {
    const inside = list.contains(list.getRootNode().activeElement)
    const at = next
    next = null
    const n = Math.max(0, model.rules.length - 1)
    put(target, model.target || "label")
    put(counted, of_set() ? "covered" : "captured first")
    put(name, of_set() ? "Add a condition" : "Add a rule")
    put(place, of_set() ? "To" : "Its place")
    field.placeholder = of_set() ? "search the conditions" : "search the antecedents"
    while (list.children.length > model.rules.length) { list.lastElementChild.remove() }
    while (list.children.length < model.rules.length) { list.append(line()) }
    model.rules.forEach((rule, k) => { fill(list.children[k], k, rule, n) })
    places(n)
    if (at && (inside || list.getRootNode().activeElement === null)) {
      const row = list.children[Math.min(at[0], n)]
      const same = row.querySelector(`.${at[1]}`) ?? row.querySelector("button") ?? field
      same.focus({ preventScroll: true })
    }
  }

  const drag = (event, row) => {
    const rows = [...list.children]
    const n = rows.length - 1
    const from = rows.indexOf(row)
    if (from === n || event.button) { return }
    event.preventDefault()
    row.classList.add("dragged")
    const start = event.clientY
    let to = from
    const handle = event.currentTarget
    handle.setPointerCapture(event.pointerId)
    const middles = rows.slice(0, n).map((one) => {
      const place = one.getBoundingClientRect()
      return place.top + place.height / 2
    })
    const scrolled = window.scrollY
    const move = (now) => {
      row.style.transform = `translateY(${now.clientY - start + window.scrollY - scrolled}px)`
      const y = now.clientY + window.scrollY - scrolled
      to = middles.filter((middle, k) => k !== from && middle < y).length
      rows.forEach((one, k) => {
        one.classList.toggle("before", k < n && to < from && k === to)
        one.classList.toggle("after", k < n && to > from && k === to)
      })
    }
    const end = (now) => {
      handle.removeEventListener("pointermove", move)
      row.style.transform = ""
      rows.forEach((one) => { one.classList.remove("before", "after", "dragged") })
      if (now.type === "pointerup" && to !== from) { ask({ do: "move", at: from, to }) }
    }
    handle.addEventListener("pointermove", move)
    handle.addEventListener("pointerup", end, { once: true })
    handle.addEventListener("pointercancel", end, { once: true })
  }

  const field = document.createElement("input")
  field.type = "text"
  field.id = "search"
  field.autocomplete = "off"
  field.maxLength = 200
  field.setAttribute("role", "combobox")
  field.setAttribute("aria-autocomplete", "list")
  field.setAttribute("aria-controls", "found")
  field.setAttribute("aria-expanded", "false")
  const name = make("label", "")
  name.htmlFor = "search"
  const where = document.createElement("select")
  where.id = "where"
  const place = make("label", "")
  place.htmlFor = "where"
  const box = make("div", "box")
  const found = document.createElement("ul")
  found.id = "found"
  found.setAttribute("role", "listbox")
  found.setAttribute("aria-label", "Antecedents")
  found.hidden = true
  const first = make("div", "field wide")
  const second = make("div", "field")
  box.append(field, found)
  first.append(name, box)
  second.append(place, where)
  add.append(first, second)
  let active = -1
  const open = (on) => {
    found.hidden = !on
    field.setAttribute("aria-expanded", String(on))
    if (!on) { mark(-1) }
  }
  const choices = () => [...found.querySelectorAll("[role=option]")]
  const mark = (k) => {
    active = k
    choices().forEach((one, i) => { one.setAttribute("aria-selected", String(i === k)) })
    if (k >= 0) {
      field.setAttribute("aria-activedescendant", `option-${k}`)
      choices()[k].scrollIntoView({ block: "nearest" })
    } else { field.removeAttribute("aria-activedescendant") }
  }
  const choose = (one) => {
    ask({ do: "insert", at: Number(where.value), antecedent: Number(one.dataset.antecedent) })
    field.value = ""
    open(false)
    field.focus()
  }
  let wanted = false
  const search = () => {
    wanted = true
    if (model.found.text === field.value) { list_found() } else { ask({ do: "find", text: field.value }) }
  }
  const list_found = () => {
    if (!wanted || model.found.text !== field.value) { return }
    const items = model.found.items ?? []
    found.replaceChildren(...items.map(([antecedent, text], k) => {
      const one = make("li", "", text)
      one.id = `option-${k}`
      one.dataset.antecedent = antecedent
      one.setAttribute("role", "option")
      one.addEventListener("pointerdown", (event) => { event.preventDefault() })
      one.addEventListener("click", () => { choose(one) })
      return one
    }))
    if (model.found.note) { found.append(make("li", "note", model.found.note)) }
    open(true)
    mark(items.length && field.value ? 0 : -1)
  }
  field.addEventListener("input", search)
  field.addEventListener("click", search)
  field.addEventListener("blur", () => { wanted = false; open(false) })
  field.addEventListener("keydown", (event) => {
    const n = choices().length
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault()
      if (found.hidden) { search() }
      else if (n) { mark((active + (event.key === "ArrowDown" ? 1 : active < 0 ? n : n - 1)) % n) }
    } else if (event.key === "Enter" && !found.hidden && active >= 0) {
      event.preventDefault()
      choose(choices()[active])
    } else if (event.key === "Escape" && !found.hidden) {
      event.stopPropagation()
      open(false)
    }
  })
  let size = -1
  const places = (n) => {
    if (n === size && where.dataset.family === model.family) { return }
    const end = where.value === "" || Number(where.value) === size
    where.dataset.family = model.family
    const set = of_set()
    const kept = Number(where.value)
    size = n
    where.replaceChildren(...Array.from({ length: n + 1 }, (_, k) => {
      const one = make("option", "", set ? (k === n ? "a new rule" : `rule ${k + 1}`)
        : k === n ? "last" : `before rule ${k + 1}`)
      one.value = k
      return one
    }))
    where.value = end ? n : Math.min(kept, n)
  }
  model.on("rules", show)
  model.on("family", show)
  model.on("found", list_found)
  model.on("said", () => { said.textContent = model.said })
  show()
  return root
}
