(key) => {
  PICTURE
  view.el.scrollIntoView({ block: "center" })
  const i = [...source.data.key].indexOf(key)
  const box = view.el.getBoundingClientRect()
  const { x_scale, y_scale } = view.frame
  return [box.x + x_scale.compute(source.data.x[i]), box.y + y_scale.compute(source.data.y[i])]
}
