const shown = (n) => n > 9e15 ? `${n.toExponential(1)}` :
  n.toLocaleString("en", n >= 1e5 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 6 })
    .replaceAll(",", "\u202f")
const several = (n, noun) => `${shown(n)} ${noun}${n === 1 ? "" : "s"}`
const PAGE = 40
const OLD = "This browser cannot unpack the lists (it has no DecompressionStream). Chrome and Edge can since 2020 " +
  "(80), Safari since 16.4, Firefox since 113."

const builder = async (root, said, on = () => {}) => {
  root.classList.add("builder")
  if (typeof DecompressionStream === "undefined") {
    root.replaceChildren(made("p", OLD, { role: "alert" }))
    return
  }
  const graph = weighed(await unpacked(said), said)
  const { first, to, rule, label, left, model } = graph
  const slack = Math.max(said.threshold - said.optimum, 0)
  let path = [], ended = false, most = PAGE
  const here = () => path.length ? to[path.at(-1)] : 0
  const from = (k) => k ? to[path[k - 1]] : 0
  const soFar = () => path.reduce((sum, e, k) => sum + graph.wrong(from(k), e) / said.total + said.regularization, 0)

  const guarantee = made("div", "", { class: "guarantee" })
  guarantee.append(...said.guarantee.map((words) => made("p", words)))
  const status = made("p", "", { role: "status", class: "left" })
  const list = made("table", "", { "aria-label": "The list so far" })
  const sum = made("div", "", { class: "sum" })
  const undo = made("button", "Undo", { type: "button" })
  const again = made("button", "Start again", { type: "button" })
  const find = "Find a condition"
  const search = made("input", "", { type: "search", placeholder: find, "aria-label": find })
  const offered = made("table", "", { "aria-label": "What can come next" })
  const more = made("p", "", { class: "more" })
  const scroller = made("div", "", { class: "next", tabindex: 0, role: "region", "aria-label": "What can come next" })
  const tools = made("div", "", { class: "tools" })
  const mine = made("section", "", { class: "mine" }), theirs = made("section", "", { class: "theirs" })
  const hint = made("p", "Keys: \u2191 \u2193 between the choices, Enter takes one, Backspace takes it back.",
    { class: "hint" })
  const meaning = made("details")
  const terms = made("dl")
  for (const [term, words] of said.terms) { terms.append(made("dt", term), made("dd", words)) }
  meaning.append(made("summary", "What these words mean"), terms)
  tools.append(undo, again, search)
  scroller.append(offered, more)
  mine.append(made("h3", "The list so far"), list, sum)
  theirs.append(made("h3", "What can come next"), tools, scroller, hint)
  const columns = made("div", "", { class: "columns" })
  columns.append(mine, theirs)
  root.replaceChildren(guarantee, status, columns, meaning)

  const row = (cells, head = false) => {
    const tr = made("tr")
    for (const [text, kind, node] of cells) {
      const cell = made(head ? "th" : "td", text, head ? { scope: "col", class: kind } : { class: kind })
      if (node) { cell.append(node) }
      tr.append(cell)
    }
    return tr
  }
  const filled = (table, heads, rows) => {
    const top = made("thead"), body = made("tbody")
    top.append(row(heads, true))
    body.append(...rows)
    table.replaceChildren(top, body)
  }
  const bar = (value) => {
    const box = made("span", "", { class: "bar", "aria-hidden": "true" }), inside = made("span")
    inside.style.width = `${slack ? 100 * Math.max(0, Math.min(1, value / slack)) : 0}%`
    box.append(inside)
    return box
  }

  const drawList = () => {
    const rows = path.map((e, k) => {
      const [p, n] = graph.captured(from(k), e)
      const head = `${k ? "else if" : "if"} ${said.names[rule[e]]}`
      return row([[head, "rule"], [said.labels[label[e]], "then"], [shown(p + n), "n"], [shown(label[e] ? p : n), "n"]])
    })
    const node = here(), [p, n] = [left[0][node], left[1][node]]
    const otherwise = ended ? said.labels[p > n ? 1 : 0] : "?"
    rows.push(row([[path.length ? "else" : "always", "rule"], [otherwise, "then"], [shown(p + n), "n"],
      [ended ? shown(Math.max(p, n)) : "", "n"]]))
    filled(list, [["rule", ""], ["then", ""], ["rows", "n"], ["right", "n"]], rows)
    sum.replaceChildren()
    if (!ended) { return }
    const errors = path.reduce((all, e, k) => all + graph.wrong(from(k), e), graph.rest(node))
    const value = errors / said.total + said.regularization * path.length
    const above = Math.max(value - said.optimum, 0)
    const best = above < 1e-9
    sum.append(
      made("p", `It costs ${value.toFixed(5)} = ${shown(errors)} errors / ${shown(said.total)} rows + ` +
        `${several(path.length, "rule")} \u00d7 ${said.regularization}.`),
      made("p", `${(100 * (1 - errors / said.total)).toFixed(2)} % of the training rows are right.`),
      made("p", best ? "No list costs less: this is proven." :
        `That is ${above.toFixed(5)} more than the least that any list costs.`,
        { class: best ? "best" : "" }),
    )
  }
  const offers = () => {
    const node = here(), base = soFar(), out = []
    if (ended) { return out }
    if (model[node] >= 0) {
      const words = said.labels[left[0][node] > left[1][node] ? 1 : 0]
      const value = base + graph.rest(node) / said.total
      out.push({ name: path.length ? "end here: else" : "end here: always", then: words, value, models: 1, lists: 1,
        take: () => { ended = true } })
    }
    const going = []
    for (let e = first[node]; e < first[node + 1]; e++) {
      const value = base + graph.wrong(node, e) / said.total + said.regularization + graph.least[to[e]]
      going.push({ name: `${path.length ? "else if" : "if"} ${said.names[rule[e]]}`, then: said.labels[label[e]], value,
        models: graph.models(to[e]), lists: graph.lists[to[e]], also: said.aliases[rule[e]],
        take: () => { path = [...path, e] } })
    }
    going.sort((a, b) => Math.abs(a.value - b.value) > 1e-12 ? a.value - b.value : b.models - a.models)
    return [...out, ...going]
  }
  const drawOffers = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
    const every = offers()
    const found = every.filter(({ name, also }) =>
      words.every((word) => `${name} ${also ?? ""}`.toLowerCase().includes(word)))
    const rows = found.slice(0, most).map(({ name, then, value, models, lists, also, take }) => {
      const button = made("button", name, { type: "button", class: "take" })
      button.addEventListener("click", () => { take(); most = PAGE; search.value = ""; draw(true) })
      const left = Math.max(said.threshold - value, 0)
      const tr = row([["", "rule", button], [then, "then"], [left.toFixed(4), "n", bar(left)], [shown(models), "n"],
        [shown(lists), "n"]])
      if (also) { button.after(made("span", `same rows: ${also}`, { class: "also" })) }
      return tr
    })
    filled(offered, [["next rule", ""], ["then", ""], ["slack left", "n"], ["models", "n"], ["lists", "n"]], rows)
    more.replaceChildren()
    if (found.length > most) {
      const button = made("button", "Show more", { type: "button" })
      button.addEventListener("click", () => { most += 5 * PAGE; drawOffers() })
      more.append(`${most} of ${found.length} are shown. `, button)
    } else if (ended) {
      more.textContent = "The list has ended. Undo, or start again."
    } else if (!found.length) {
      more.textContent = every.length ? "Nothing that can come next has these letters." : ""
    }
  }
  const draw = (moved = false) => {
    const node = here()
    root.classList.toggle("ended", ended)
    undo.disabled = again.disabled = !path.length && !ended
    drawList()
    drawOffers()
    status.textContent = ended ? `The list is complete: ${several(path.length, "rule")}.` :
      `${path.length ? `After ${several(path.length, "rule")}` : "To begin with"} ` +
      `${several(graph.models(node), "model")} remain${graph.models(node) === 1 ? "s" : ""}, ` +
      `in ${several(graph.lists[node], "list")}.`
    if (moved) {
      scroller.scrollTop = 0
      const target = ended ? undo : offered.querySelector("button")
      target?.focus({ preventScroll: true })
    }
    if (ended) { on(path.map((e) => said.rules[rule[e]])) }
  }
  const back = () => {
    if (undo.disabled) { return }
    if (ended) { ended = false } else { path = path.slice(0, -1) }
    most = PAGE
    draw(true)
  }
  undo.addEventListener("click", back)
  again.addEventListener("click", () => { path = []; ended = false; most = PAGE; search.value = ""; draw(true) })
  search.addEventListener("input", () => { most = PAGE; drawOffers() })
  root.addEventListener("keydown", (event) => {
    if (event.target === search) {
      if (event.key === "ArrowDown") { event.preventDefault(); offered.querySelector("button")?.focus() }
      return
    }
    if (event.key === "Backspace") { event.preventDefault(); back() }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const all = [...offered.querySelectorAll("button")]
    const at = all.indexOf(event.target)
    if (step && (at >= 0 || event.target === scroller)) {
      event.preventDefault()
      all[Math.max(0, Math.min(all.length - 1, at + step))]?.focus()
    }
  })
  draw()
}
