const ints = (bytes, at, n) => {
  const out = new Int32Array(n)
  for (let k = 0; k < 4; k++) { for (let i = 0; i < n; i++) { out[i] |= bytes[at + k * n + i] << (8 * k) } }
  return out
}
const unpacked = async (said) => {
  const packed = Uint8Array.from(atob(said.packed), (letter) => letter.charCodeAt(0))
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
  const { nodes, edges, whole } = said
  let at = 0
  const next = (n) => { at += 4 * n; return ints(bytes, at - 4 * n, n) }
  const sums = (array) => { for (let i = 1; i < array.length; i++) { array[i] += array[i - 1] } return array }
  const count = next(nodes), model = next(nodes), to = sums(next(edges)), rule = next(edges), label = next(edges)
  const weights = () => {
    if (whole) { return Float64Array.from(next(nodes)) }
    at += 8 * nodes
    return new Float64Array(bytes.slice(at - 8 * nodes, at).buffer)
  }
  const left = [weights(), weights()]
  const first = new Int32Array(nodes + 1)
  for (let i = 0; i < nodes; i++) { first[i + 1] = first[i] + count[i] }
  return { first, model, to, rule, label, left }
}
/* What can come of each prefix: the least that a list costs from here on, lists, and models, which count once. */
const weighed = (graph, said) => {
  const { first, model, to, label, left } = graph
  const nodes = model.length
  const least = new Float64Array(nodes), lists = new Float64Array(nodes)
  const captured = (node, edge) => [0, 1].map((k) => left[k][node] - left[k][to[edge]])
  const wrong = (node, edge) => captured(node, edge)[label[edge] ? 1 : 0]
  const rest = (node) => Math.min(left[0][node], left[1][node])
  for (let node = nodes - 1; node >= 0; node--) {
    least[node] = model[node] < 0 ? Infinity : rest(node) / said.total
    lists[node] = model[node] < 0 ? 0 : 1
    for (let e = first[node]; e < first[node + 1]; e++) {
      lists[node] += lists[to[e]]
      least[node] = Math.min(least[node], wrong(node, e) / said.total + said.regularization + least[to[e]])
    }
  }
  const seen = new Int32Array(nodes), met = new Int32Array(said.models + 1), known = new Map()
  let turn = 0
  const models = (start) => {
    if (known.has(start)) { return known.get(start) }
    turn += 1
    let found = 0
    const stack = [start]
    seen[start] = turn
    while (stack.length) {
      const node = stack.pop()
      if (model[node] >= 0 && met[model[node]] !== turn) { met[model[node]] = turn; found += 1 }
      for (let e = first[node]; e < first[node + 1]; e++) {
        if (seen[to[e]] !== turn) { seen[to[e]] = turn; stack.push(to[e]) }
      }
    }
    known.set(start, found)
    return found
  }
  return { ...graph, least, lists, models, captured, wrong, rest }
}
