() => {
    const find = (root) => root.querySelector("input[type=file][accept*=csv]")
        ?? [...root.querySelectorAll("*")].map((e) => e.shadowRoot && find(e.shadowRoot)).find((e) => e)
    const input = find(document)
    const files = new DataTransfer()
    files.items.add(new File([new Uint8Array(100000001)], "huge.csv"))
    input.files = files.files
    input.dispatchEvent(new Event("change"))
}
