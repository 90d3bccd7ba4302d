() => {
    const found = [];
    (EVERY)((e) => {
        if (e.matches("style, script, title") || !e.checkVisibility({ visibilityProperty: true })) { return }
        for (const node of e.childNodes) {
            if (node.nodeType === 3) { found.push(...node.textContent.split(/\s+/).filter((w) => /\w/.test(w))) }
        }
    })
    return found
}
