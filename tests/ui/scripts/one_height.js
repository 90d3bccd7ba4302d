() => {
    const cards = []
    const walk = (root, own) => {
        for (const e of root.querySelectorAll("*")) {
            let mine = own
            if (e.classList.contains("rl-model")) { mine = []; cards.push(mine) }
            if (mine && e.matches("[role=rowheader], h3")) {
                const said = e.textContent.split(" differs")[0].split("scale ")[0]
                mine.push([said, Math.round(e.getBoundingClientRect().y)])
            }
            if (e.shadowRoot) { walk(e.shadowRoot, mine) }
        }
    }
    walk(document, null)
    return cards
}
