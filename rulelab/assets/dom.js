/* An element with a text, and with those of the attributes that are not false. */
const made = (tag, text = "", attributes = {}) => {
  const node = document.createElement(tag)
  node.textContent = text
  for (const [name, value] of Object.entries(attributes)) { if (value !== false) { node.setAttribute(name, value) } }
  return node
}
/* An element with properties and what is in it. */
const make = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties)
  node.append(...children)
  return node
}
/* All elements that match, also those within the shadows of others. */
const everywhere = (root, selector) => {
  const found = [...root.querySelectorAll(selector)]
  for (const { shadowRoot } of root.querySelectorAll("*")) {
    if (shadowRoot) { found.push(...everywhere(shadowRoot, selector)) }
  }
  return found
}
