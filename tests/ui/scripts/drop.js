(button, text) => {
    const data = new DataTransfer()
    data.items.add(new File([text], "mine.csv"))
    const how = { dataTransfer: data, bubbles: true, composed: true, cancelable: true }
    for (const kind of ["dragenter", "dragover", "drop"]) {
        button.dispatchEvent(new DragEvent(kind, how))
    }
}
