(within) => {
    const found = []
    const walk = (root, row) => {
        for (const e of root.querySelectorAll("*")) {
            const inside = row || e.closest(within || "none")
            const box = e.getBoundingClientRect()
            const seen = box.width > 1 && box.height > 1 && e.checkVisibility({ visibilityProperty: true })
            const stop = e.tabIndex >= 0 && !e.disabled && !e.matches("a:not([href])")
            if (stop && seen && !e.dataset.term && !inside) { found.push(e.outerHTML.slice(0, 80)) }
            if (e.shadowRoot) { walk(e.shadowRoot, inside) }
        }
    }
    walk(document, null)
    return found
}
