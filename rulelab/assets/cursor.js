/* Where a person taps or drags, the line follows; while one drags it speaks to the page a few times a second. */
const now = performance.now()
const often = cb_obj.event_name === "pan" && now - (line.spoke ?? 0) < 80
if (line.tags[0] && !often && Number.isFinite(cb_obj.x)) {
  line.spoke = now
  line.setv({ visible: true, location: cb_obj.x })
}
