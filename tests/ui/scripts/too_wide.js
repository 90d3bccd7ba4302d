() => {
    const found = []
    const walk = (root) => {
        for (const e of root.querySelectorAll("*")) {
            const box = e.getBoundingClientRect()
            if (/GlyphRenderer|Annotation|LinearProgress/.test(e.className)) { continue }  // clipped
            if (box.width > 1 && box.height > 1 && box.right > innerWidth + 1) { found.push(e.className) }
            if (e.shadowRoot) { walk(e.shadowRoot) }
        }
    }
    walk(document)
    return found
}
