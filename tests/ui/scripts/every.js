(visit) => {
    const walk = (root) => {
        for (const e of root.querySelectorAll("*")) { visit(e) ; if (e.shadowRoot) { walk(e.shadowRoot) } }
    }
    walk(document.body)
}
