() => {
  const found = []
  const box = (b) => [b.left, b.top, b.right, b.bottom]
  const look = (view) => {
    if (view.model.type === "Figure" && view.el.getBoundingClientRect().height > 0) {
      const axes = [...view.model.below, ...view.model.left].map((axis) => view.views.find_one(axis))
        .filter((axis) => axis && axis.model.type.endsWith("Axis") && axis.model.visible)
      const ticks = axes.map((axis) => {
        const at = axis.tick_coords.major, along = axis.dimension
        const graphics = axis.compute_labels(at[along]).items
        const [xs, ys] = axis.coordinates.map_to_screen(at[0], at[1])
        return graphics.map((each, i) => {
          if ("text" in each) { each.text = `${each.text}` }  // a formatter may give a number
          each.visuals = axis.visuals.major_label_text.values()
          const { width, height } = each.size()
          const middle = along ? ys[i] : xs[i], half = (along ? height : width) / 2
          return { text: each.text ?? "", from: middle - half, to: middle + half }
        })
      })
      const { above, below, left, right, center } = view.model
      const legends = [...above, ...below, ...left, ...right, ...center]
        .filter((each) => each.type === "Legend" && each.visible && each.items.some((item) => item.visible))
        .map((each) => box(view.views.find_one(each).bbox))
      const { width, height } = view.el.getBoundingClientRect()
      found.push({ name: view.el.getAttribute("aria-label") ?? view.model.title?.text ?? "", ticks, legends,
        frame: box(view.frame.bbox), axes: axes.map((axis) => box(axis.bbox)), width, height })
    }
    for (const child of view.children ? view.children() : []) { look(child) }
  }
  for (const root of Bokeh.index) { look(root) }
  return found
}
