const find = (root, name) => {
  for (const one of root.querySelectorAll("*")) {
    if (one.classList.contains(name)) { return one }
    const inside = one.shadowRoot && find(one.shadowRoot, name)
    if (inside) { return inside }
  }
}
