() => {
    const up = (e) => e.assignedSlot ?? e.parentElement ?? e.getRootNode().host
    let e = document.activeElement
    while (e?.shadowRoot?.activeElement) { e = e.shadowRoot.activeElement }
    if (!e || e === document.body) { return null }
    const page = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
    const light = () => [...page.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255)
        .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)
    const paint = (color) => { page.fillStyle = color; page.fillRect(0, 0, 1, 1) }
    const name = [e.getAttribute("aria-label"), e.labels?.[0]?.textContent, e.textContent, e.title, e.tagName]
        .map((text) => (text ?? "").trim()).find((text) => text).slice(0, 40)
    const unseen = ({ opacity, clip, clipPath }) => opacity === "0" || clip !== "auto" || clipPath !== "none"
    while (unseen(getComputedStyle(e))) { e = up(e) }  // what is seen of it has the ring
    const around = []
    for (let at = up(e); at; at = up(at)) { around.unshift(getComputedStyle(at).backgroundColor) }
    around.forEach(paint)
    const back = light(), style = getComputedStyle(e)
    paint(style.outlineColor)
    const ring = light(), [least, most] = [ring, back].sort((a, b) => a - b)
    const { width, height } = e.getBoundingClientRect()
    return {
        name,
        width: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
        own: style.outlineStyle === "auto",  // the ring of the browser, of two colours
        contrast: (most + 0.05) / (least + 0.05),
        place: [e.tagName, e.className?.baseVal ?? e.className, width, height].join(" "),
        seen: e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && width > 1 && height > 1,
    }
}
