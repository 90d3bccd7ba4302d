/* A number as short as it can be, such as 20k. */
const short = (tick) => {
  for (const [unit, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (Math.abs(tick) >= unit) { return Number((tick / unit).toPrecision(3)) + letter }
  }
  return String(Number(tick.toPrecision(6)))
}
/* Places of round numbers on a logarithmic axis; a strip at its left, below the logarithm of 1, has none. */
const powers = ({ start, end }) => {
  const span = end - start
  const steps = span > 3 ? [1] : span > 1.2 ? [1, 3] : [1, 2, 5]
  const ticks = []
  for (let power = Math.floor(start); power <= end; power += span > 7 ? 2 : 1) {
    for (const step of steps) { ticks.push(power + Math.log10(step)) }
  }
  const seen = ticks.filter((tick) => tick >= Math.max(start, 0) && tick <= end)
  return seen.length > 1 ? seen : [start + 0.1 * span, start + 0.5 * span, start + 0.9 * span]
}
