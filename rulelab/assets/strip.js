export function render({ model }) {
  const nav = document.createElement("nav")
  nav.setAttribute("aria-label", model.caption)
  const list = document.createElement("div")
  list.setAttribute("role", "tablist")
  nav.append(list)
  let tabs = []
  const fill = () => {
    tabs = model.names.map((name) => {
      const tab = document.createElement("button")
      tab.type = "button"
      tab.textContent = name
      tab.setAttribute("role", "tab")
      tab.addEventListener("click", () => { model.open = name })
      return tab
    })
    list.replaceChildren(...tabs)
  }
  const moves = { ArrowRight: (i) => i + 1, ArrowLeft: (i) => i - 1, Home: () => 0, End: () => -1 }
  list.addEventListener("keydown", (event) => {
    const move = moves[event.key]
    if (move === undefined) { return }
    event.preventDefault()
    const tab = tabs.at(move(tabs.indexOf(event.target)) % tabs.length)
    tab.focus()
    tab.click()
  })
  const show = () => tabs.forEach((tab, i) => {
    const open = model.names[i] === model.open
    tab.setAttribute("aria-selected", open)
    tab.tabIndex = open || (!i && !model.names.includes(model.open)) ? 0 : -1
  })
  let timer = 0
  const wait = () => {
    const late = model.shown != null && model.open !== model.shown
    const root = document.documentElement.style
    clearTimeout(timer)
    list.setAttribute("aria-busy", late)
    if (late) { timer = setTimeout(() => root.setProperty("--rl-stale", "0.15"), 120) }
    else { root.removeProperty("--rl-stale") }
  }
  const places = {}
  const scroller = () => {
    for (let root = nav.getRootNode(); root; root = root.host?.getRootNode()) {
      const found = root.querySelector(".main-content")
      if (found) { return found }
    }
    return document.scrollingElement
  }
  let stands = model.shown
  const leave = () => {
    if (stands != null && model.open !== stands) { places[stands] = scroller().scrollTop }
  }
  const arrive = () => {
    if (model.shown === stands) { return }
    stands = model.shown
    const at = scroller(), place = places[stands] ?? 0
    const go = (looks) => {  // what stands there now may grow for a while
      at.scrollTop = place
      if (looks && Math.abs(at.scrollTop - place) > 1) { requestAnimationFrame(() => go(looks - 1)) }
    }
    go(30)
  }
  model.on("names", () => { fill(); show() })
  model.on("open", () => { show(); wait(); leave() })
  model.on("shown", () => { wait(); arrive() })
  fill()
  show()
  return nav
}
