/* Checks the proofs that come in, one in each line as JSON, and says of each what the script of a report would. */
import { readFileSync } from "node:fs"
import { load } from "./load.mjs"

const { checkProof } = load(["proof_format.js", "proof_checker.js", "falling_checker.js"], ["checkProof"])

const verdict = (text) => {
  try {
    const steps = checkProof(JSON.parse(text))
    let step = steps.next()
    while (!step.done) step = steps.next()
    return { valid: true, ...step.value }
  } catch (error) {
    return { valid: false, reason: `${error.name}: ${error.message}` }
  }
}

for (const line of readFileSync(0, "utf-8").trim().split("\n")) console.log(JSON.stringify(verdict(line)))
