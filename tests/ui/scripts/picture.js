  const walk = (view) => view.model.type === "Figure" && view.model.title.text === "Accuracy and complexity"
    ? [view] : [...(view.children ? view.children() : [])].flatMap(walk)
  const [view] = [...Bokeh.index].flatMap(walk)
  const source = view?.model.renderers.map((r) => r.data_source).find((s) => s && "key" in s.data)
