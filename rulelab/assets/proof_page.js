/* Checks each proof that a report carries when it is opened, in short parts, so that the page can be read meanwhile. */
const PART = 30 /* milliseconds */

const sayIn = (line, tone, text) => {
  line.className = `state ${tone}`
  line.textContent = text
}

/* `script`: the element with the proof as JSON; the line before it says what the check comes to. */
const checkHere = (script) => {
  const line = script.previousElementSibling
  const began = performance.now()
  let carried = null, steps = null
  const go = () => {
    const until = performance.now() + PART
    try {
      carried ??= JSON.parse(script.textContent)
      steps ??= checkProof(carried)
      let step = steps.next()
      while (!step.done && performance.now() < until) step = steps.next()
      if (!step.done) {
        sayIn(line, "open", `Checking the proof here: ${step.value.done} of ${step.value.of} sets …`)
        setTimeout(go)
        return
      }
      const { sets, inequalities, objective } = step.value
      const [took, n] = [(performance.now() - began) / 1000, inequalities.toLocaleString("en")]
      const checked = `${n} inequalities of ${sets.toLocaleString("en")} sets hold, ${took.toFixed(2)} s`
      const said = `no ${carried.family.replaceAll("_", " ")} over these counts has an objective below ${Number(objective.toPrecision(10))}`
      sayIn(line, "proven", `Checked here, now: valid. ${checked}: ${said}.`)
    } catch (error) {
      sayIn(line, "open", `Checked here, now: refused: ${error.message}.`)
    }
  }
  line.hidden = false
  sayIn(line, "open", "Checking the proof here …")
  setTimeout(go)
}

const checkAllHere = () => document.querySelectorAll("script.carried-proof").forEach(checkHere)
