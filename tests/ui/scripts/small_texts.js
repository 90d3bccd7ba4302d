() => {
    const found = []
    const walk = (root) => {
        for (const e of root.querySelectorAll("*")) {
            const own = [...e.childNodes].some((each) => each.nodeType === 3 && each.textContent.trim())
            const box = e.getBoundingClientRect()
            const seen = box.width > 1 && box.height > 1 && e.checkVisibility({ visibilityProperty: true })
            if (own && seen && parseFloat(getComputedStyle(e).fontSize) * e.currentCSSZoom < 20) {
                found.push(`${e.textContent.trim().slice(0, 60)}: ${getComputedStyle(e).fontSize}`)
            }
            if (e.shadowRoot) { walk(e.shadowRoot) }
        }
    }
    walk(document.body)
    return found
}
