async () => {
    const controls = ["Button", "Select", "panel.models.widgets.FileDownload"].map((name) => Bokeh.Models.get(name))
    return Promise.all(controls.map(async (Control) => {
        const model = new Control({ disabled: true })
        const view = new model.default_view({ model, parent: null })
        view.initialize()
        await view.lazy_initialize()
        view.connect_signals()
        model.disabled = false
        view.render()
        return view.shadow_el.querySelector("button, select").disabled
    }))
}
