() => {
  let e = document.activeElement
  while (e?.shadowRoot?.activeElement) { e = e.shadowRoot.activeElement }
  return WHAT
}
