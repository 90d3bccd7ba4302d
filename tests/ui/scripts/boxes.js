(e, kinds) => {
    const { x, y, width, height } = e.getBoundingClientRect()
    return new RegExp(kinds).test(e.className) && width > 0 ? [x, y, width, height].map(Math.round) : null
}
