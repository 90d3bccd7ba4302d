/* What a list of these facts costs is looked up, never computed here. */
const shown = (number) => String(number).replace("-", "\u2212")
/* The first prefix of a list whose bound reaches the best list: no list that begins so is better. */
const excluded = (chosen, prefixes, best) => {
  for (let k = 1; k <= chosen.length; k++) {
    const start = chosen.slice(0, k).join(",")
    if (prefixes[start].bound >= best) { return start }
  }
  return null
}
/* A list in words. */
const worded = (chosen, { rules, default: other }) => {
  const said = chosen.map((fact, k) => `${k ? "else if" : "if"} ${fact} then ${rules[k]}`)
  return [...said, chosen.length ? `else ${other}` : `always ${other}`].join("; ")
}
const whole = (name) => (name === "" ? [] : name.split(","))

export function render({ model }) {
  const root = make("div", { className: "twelve" })
  const cost = (name) => model.prefixes[name].cost
  const OPTIMUM = Math.min(...Object.keys(model.prefixes).map(cost))
  const state = { built: [], tried: new Set(), tapped: null, said: "", missed: new Set() }
  const now = () => model.steps[model.step - 1]
  const done = (step = model.step) => model.done.includes(step)
  const best = () => (done(3) ? OPTIMUM : cost(""))
  const draw = () => { root.replaceChildren(people(), question()) }

  const succeed = () => {
    state.said = ""
    if (!done()) {
      if (!state.missed.has(model.step)) { model.first = [...model.first, model.step] }
      model.done = [...model.done, model.step]
    }
  }
  const fail = (text) => {
    state.missed.add(model.step)
    state.said = text
  }

  const people = () => {
    const caught = new Set(model.prefixes[prefix()].caught)
    const head = make("tr", {}, make("th", { textContent: "did" }), ...model.facts.map((fact) => made("th", fact, { scope: "col" })))
    const rows = model.people.map(([looks, end], k) => make("tr", { className: caught.has(k) ? "caught" : "" },
      make("td", {}, make("span", { className: `end ${end}` }), end, caught.has(k) ? make("small", { textContent: " caught" }) : ""),
      ...[...looks].map((fact) => make("td", {}, made("span", "", { class: `fact ${fact === "1" ? "on" : ""}`,
        role: "img", "aria-label": fact === "1" ? "yes" : "no" })))))
    return make("section", {}, make("h3", { textContent: "The twelve" }),
      make("table", {}, make("caption", { textContent: "Four facts about each, and what each has done" }), make("thead", {}, head), make("tbody", {}, ...rows)))
  }

  /* The prefix whose people are faded. */
  const prefix = () => {
    const { asked, prefix: given } = now()
    return asked === "better" ? state.built.join(",") : asked === "first" ? state.tapped ?? "" : given
  }

  const sum = (name) => {
    const { wrong, price, alike, bound } = model.prefixes[name]
    const parts = [["wrong so far", wrong, "wrong"], ["price of the rules", price, "price"],
      ["look alike, end differently", alike, "alike"], ["at least", bound, "bound"]]
    return make("dl", { className: "sum" }, ...parts.flatMap(([what, n, colour]) => {
      const bar = make("span", { className: `part ${colour}` })
      bar.style.width = `${n * 2.4}em`
      return [made("dt", what), make("dd", {}, bar, shown(n))]
    }))
  }

  const block = (name, tap) => {
    const chosen = whole(name), { bound } = model.prefixes[name]
    const known = done(6) || (name === "owns" && done(2)) || (name === "two jobs" && done(4)) || name === state.tapped
    const fate = !known ? "open" : bound >= best() ? "cut" : tap && !done() ? "open" : "followed"
    const words = `${chosen.at(-1)}: ${!known ? "?" : fate === "open" ? shown(bound) : `${fate}, ${shown(bound)}`}`
    const node = made(tap ? "button" : "div", words, { class: `block ${fate}`, type: tap && "button" })
    if (tap) { node.onclick = () => tap(name) }
    return node
  }

  const tree = (tap) => {
    const level = (names) => make("div", { className: "level" }, ...names.map((name) => block(name, tap)))
    const below = (name) => model.facts.filter((fact) => !whole(name).includes(fact)).map((fact) => `${name},${fact}`)
    const open = (names) => names.filter((name) => model.prefixes[name].bound < OPTIMUM)
    const levels = [level(model.facts)]
    if (now().asked === "better") {
      for (let at = open(model.facts); at.length; at = open(at.flatMap(below))) {
        levels.push(...at.map((name) => make("div", { className: "under" }, made("small", `after ${whole(name).join(", ")}`), level(below(name)))))
      }
    }
    const here = make("div", { className: "block followed", textContent: "no rule yet" })
    return make("div", { className: "prefixes", ariaLabel: "Prefixes" }, here, ...levels)
  }

  const number = ({ asked, prefix: name }) => {
    const wanted = model.prefixes[name][asked]
    const field = make("input", { type: "number", step: "0.5", min: "0", placeholder: "number" })
    field.setAttribute("aria-label", "Your number")
    const check = () => {
      if (field.value === "") { return }
      if (Number(field.value) === wanted) { succeed() }
      else { fail(`Not ${shown(field.value)}: ${Number(field.value) < wanted ? "more" : "less"}. Look at the twelve, and try again.`) }
      draw()
    }
    field.onkeydown = (event) => { if (event.key === "Enter") { check() } }
    return make("p", { className: "ask" }, field, make("button", { type: "button", className: "main", textContent: "Check", onclick: check }))
  }

  const first = () => tree((name) => {
    state.tapped = name
    if (model.prefixes[name].bound < OPTIMUM) { succeed() }
    else { fail(`A list that begins with ${name} costs at least ${shown(model.prefixes[name].bound)}: not better than ${shown(OPTIMUM)}.`) }
    draw()
  })

  const builder = () => {
    const { built, tried } = state, name = built.join(","), whose = model.prefixes[name]
    const add = (fact) => {
      built.push(fact)
      tried.add(built.join(","))
      draw()
    }
    const chips = model.facts.map((fact) => make("button", { type: "button", textContent: fact, disabled: built.includes(fact), onclick: () => add(fact) }))
    const anew = make("button", { type: "button", textContent: "Start over", disabled: !built.length, onclick: () => { state.built = []; draw() } })
    const line = excluded(built, model.prefixes, OPTIMUM)
    const why = !built.length ? "" : line === null ? " It may go on." :
      ` Excluded with all that begin with ${whole(line).join(", ")}: at least ${shown(model.prefixes[line].bound)}.`
    const check = make("button", { type: "button", className: "main", textContent: "Check the proof", disabled: tried.size < 3,
      title: tried.size < 3 ? "Try three lists first" : "", onclick: () => { model.send_msg({ check: true }) } })
    return make("div", {}, tree(), make("p", { className: "chips" }, ...chips, anew),
      make("p", { className: "list", role: "status" }, make("b", { textContent: `${worded(built, whose)} ` }), `costs ${shown(whose.cost)}.${why}`),
      make("p", { className: "ask" }, check, make("span", { textContent: model.verdict || `${Math.min(tried.size, 3)} of 3 lists tried` })))
  }

  const question = () => {
    const step = now(), last = model.steps.length
    const parts = [make("p", { className: "where", textContent: `Twelve people · step ${model.step} of ${last}` }),
      make("div", { className: "bar" }, make("span"))]
    parts[1].firstChild.style.width = `${100 * model.done.length / last}%`
    const text = make("p")
    text.innerHTML = step.text  // made by the page, which escapes it
    parts.push(text, make("p", { className: `do${done() ? " done" : ""}` }, make("b", { textContent: step.question })))
    if (step.asked === "better") { parts.push(builder()) }
    else if (step.asked === "first") { parts.push(first()) }
    else if (!done()) { parts.push(number(step)) }
    if (done()) {
      const answer = make("p", { role: "status" })
      answer.innerHTML = step.answer
      parts.push(answer)
    } else { parts.push(made("p", state.said, { role: "status" })) }
    const counted = step.asked === "bound" || step.asked === "first"
    const summed = step.asked === "first" ? state.tapped : step.prefix
    if (counted && summed && (done() || step.asked === "first")) { parts.push(sum(summed)) }
    if (model.step > 1 && !["first", "better"].includes(step.asked)) { parts.push(tree()) }
    const go = (by) => {
      Object.assign(state, { said: "", tapped: null, built: [] })
      if (model.step + by > last) { model.left += 1 } else { model.step += by }
      draw()
    }
    const back = make("button", { type: "button", textContent: "Back", disabled: model.step === 1, onclick: () => go(-1) })
    const next = make("button", { type: "button", className: done() ? "main" : "", textContent: done() ? (model.step === last ? "Next walk" : "Next") : "Skip", onclick: () => go(1) })
    const score = `${model.first.length} of ${model.done.length} answered right at once`
    parts.push(make("p", { className: "ask foot" }, back, next, make("small", { textContent: model.done.length ? score : "" })))
    return make("section", { className: "question" }, ...parts)
  }

  model.on("step", draw)
  model.on("done", draw)
  model.on("verdict", () => {
    if (model.verdict.startsWith("optimal")) { succeed() }
    draw()
  })
  draw()
  return root
}
