export function render({ model }) {
  const root = document.createElement("section")
  root.setAttribute("aria-label", "Script")
  root.innerHTML = `<p class="where"></p><p class="say" aria-live="polite"></p><p class="next"></p>
    <div><button type="button">←</button><button type="button" class="on">→</button><button type="button">×</button></div>`
  const [where, say, next] = root.querySelectorAll("p"), [back, on, away] = root.querySelectorAll("button")
  back.setAttribute("aria-label", "The card before")
  on.setAttribute("aria-label", "Next card")
  away.setAttribute("aria-label", "Leave the script")
  const ask = (what) => model.send_msg(what)
  back.addEventListener("click", () => ask("back"))
  on.addEventListener("click", () => ask("on"))
  away.addEventListener("click", () => ask("leave"))
  const show = () => {
    const open = model.at > 0
    root.hidden = !open
    if (!open) { return }
    const { time, said, following } = model.card
    where.textContent = `${model.at} of ${model.of} · ${time}${model.busy ? " · …" : ""}`
    say.textContent = said
    next.textContent = following && `→ ${following}`
    back.disabled = model.at === 1
    on.disabled = model.busy || !following
  }
  const press = (event) => {
    const move = { ArrowRight: "on", ArrowLeft: "back", PageDown: "on", PageUp: "back" }[event.key]
    if (!model.at || !move || event.ctrlKey || event.metaKey || event.altKey || event.repeat) { return }
    if (event.composedPath().some((one) => one.matches?.("input, textarea, select, [role=slider], [role=dialog]"))) {
      return
    }
    event.preventDefault()
    event.stopImmediatePropagation()  // the arrows belong to the script while it is open
    ask(move)
  }
  const high = () => document.documentElement.style.setProperty("--rl-remote", `${root.offsetHeight}px`)
  const sized = new ResizeObserver(high)  // what fills the window ends above the bar
  sized.observe(root)
  addEventListener("keydown", press, true)
  model.on(["at", "card", "busy"], show)
  const bring = (part) => {  // above the bar, and below what stays at the top
    const box = part.getBoundingClientRect(), top = find(document, "main-content")?.getBoundingClientRect().top ?? 0
    const buttons = find(document, "rl-controls"), stays = buttons && getComputedStyle(buttons).position === "sticky"
    const under = stays && !part.classList.contains("rl-lit") ? buttons.getBoundingClientRect().height : 0
    if (box.top >= top + under && box.bottom <= root.getBoundingClientRect().top) { return }
    if (under) { part.style.scrollMarginTop = `${under + 8}px` }
    part.scrollIntoView({ block: "start" })
  }
  model.on("looks", () => {
    const look = (times) => {  // the tab may be shown later
      const part = find(document, model.sight)
      if (part) { bring(part) }
      if (times) { setTimeout(() => look(times - 1), 200) }
    }
    setTimeout(() => look(4), 200)
  })
  model.on("remove", () => {
    sized.disconnect()
    removeEventListener("keydown", press, true)
  })
  show()
  return root
}
