const SUN = "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11 1h2v4h-2zm0 18h2v4h-2zM1 11h4v2H1zm18 0h4v2h-4zM3.5 4.9l1.4-1.4 " +
  "2.8 2.8-1.4 1.4zm12.8 12.8 1.4-1.4 2.8 2.8-1.4 1.4zM19.1 3.5l1.4 1.4-2.8 2.8-1.4-1.4zM6.3 16.3l1.4 1.4-2.8 2.8-1.4-1.4z"
const MOON = "M12 3a9 9 0 1 0 9 9c0-.5 0-.9-.1-1.4A5.4 5.4 0 0 1 13.4 3.1 9 9 0 0 0 12 3z"

const tag = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

export function render({ model }) {
  const strip = tag("div", { className: "strip" }, ...model.get_child("header"))
  const title = tag("a", { className: "title", href: "./" }, tag("h1", { textContent: model.title }))
  const button = tag("button", { type: "button", title: "Toggle theme" })
  button.setAttribute("aria-label", "Toggle theme")
  // the page is as the system is before the server has heard of that
  const page = document.documentElement.dataset
  button.addEventListener("click", () => { model.dark = page.theme !== "dark" })
  const show = () => {
    button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${page.theme === "dark" ? MOON : SUN}"/></svg>`
  }
  model.on("dark", () => { page.theme = model.dark ? "dark" : "light"; show() })
  show()
  const main = tag("main", {}, tag("div", { className: "main-content" }, ...model.get_child("main")))
  return tag("div", { className: "shell" }, tag("header", { className: "header" }, title, strip, button), main)
}
