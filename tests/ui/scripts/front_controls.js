() => {
    const found = [];
    (EVERY)((e) => {
        const able = e.matches("a[href], button, input, select, textarea, summary, [tabindex]")
        if (able && e.checkVisibility({ visibilityProperty: true }) && !e.disabled) {
            found.push(e.getAttribute("aria-label") || e.textContent.trim().split("\n")[0].trim())
        }
    })
    return found
}
