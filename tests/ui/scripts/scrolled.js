() => {
  const find = (root) => root.querySelector(".main-content") ??
    [...root.querySelectorAll("*")].map((each) => each.shadowRoot && find(each.shadowRoot)).find(Boolean)
  return find(document).scrollTop
}
