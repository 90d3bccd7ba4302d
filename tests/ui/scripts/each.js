(given) => {
  const within = (e) => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]
  const all = (root) => [...root.querySelectorAll("*")].flatMap(within)
  return all(document).map((e) => (WHAT)(e, given)).filter((found) => found != null)
}
