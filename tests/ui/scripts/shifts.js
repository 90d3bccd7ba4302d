window.shifts = []
const area = (r) => r.width * r.height
const both = (p, q) => Math.max(0, Math.min(p.right, q.right) - Math.max(p.left, q.left)) *
    Math.max(0, Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top))
const moved = ({ previousRect: p, currentRect: q }) => area(q) && !(p.left === 0 && q.left !== 0)
const shift = ({ previousRect: p, currentRect: q }) => (area(p) + area(q) - both(p, q)) / (innerWidth * innerHeight) *
    Math.max(Math.abs(p.left - q.left), Math.abs(p.top - q.top)) / Math.max(innerWidth, innerHeight)
const note = (list) => list.getEntries().filter((e) => !e.hadRecentInput).forEach((e) => {
    window.shifts.push(...e.sources.filter(moved).map(shift))
})
new PerformanceObserver(note).observe({ type: "layout-shift", buffered: true })
