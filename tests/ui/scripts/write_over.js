(style) => {
  const words = document.createElement("div")
  words.textContent = "written over what stands there"
  words.style.cssText = `position: fixed; z-index: 9999; white-space: nowrap; ${style}`
  document.body.append(words)
  return words
}
