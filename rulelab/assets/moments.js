/* A slider along the axis of the plot above it: its thumb stands where the line stands there. */
export function render({ model }) {
  const row = made("div", "", { class: "along" })
  const play = made("button", "", { type: "button" })
  const track = made("div", "", { class: "track", role: "slider", "aria-label": "Moment", "aria-valuemin": 1 })
  const thumb = made("span", "", { class: "thumb" })
  track.append(thumb)
  row.append(play, track)
  const show = () => {
    const { able, playing, moments, at, place } = model
    play.textContent = playing ? "❚❚" : "▶"
    play.setAttribute("aria-label", playing ? "Hold" : "Replay")
    play.title = playing ? "Hold" : "Replay the search"
    play.disabled = !able
    track.tabIndex = able ? 0 : -1
    track.setAttribute("aria-disabled", String(!able))
    track.setAttribute("aria-valuemax", Math.max(1, moments))
    track.setAttribute("aria-valuenow", able ? at + 1 : 1)
    track.setAttribute("aria-valuetext", able ? `${at + 1} of ${moments}` : "none yet")
    thumb.style.left = `${100 * place}%`
  }
  play.addEventListener("click", () => model.send_msg({ press: true }))
  track.addEventListener("keydown", (event) => {
    const far = Math.max(1, Math.round(model.moments / 10))
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -far, PageUp: far,
      Home: -model.moments, End: model.moments }[event.key]
    if (by && model.able) {
      event.preventDefault()
      event.stopPropagation()
      model.send_msg({ move: by })
    }
  })
  const drag = (event) => {
    const { left, width } = track.getBoundingClientRect()
    if (model.able && width) { model.send_msg({ place: Math.min(1, Math.max(0, (event.clientX - left) / width)) }) }
  }
  track.addEventListener("pointerdown", (event) => { track.setPointerCapture(event.pointerId); drag(event) })
  track.addEventListener("pointermove", (event) => { if (track.hasPointerCapture(event.pointerId)) { drag(event) } })
  model.on(["able", "playing", "moments", "at", "place"], show)
  show()
  return row
}
