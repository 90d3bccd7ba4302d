/* Hides what is of this class. */
const hide = (name) => {
  const style = document.createElement("style")
  style.textContent = `.${name} { display: none }`
  document.head.append(style)
}
