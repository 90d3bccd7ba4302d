/* Functions of asset files, which browsers get one after the other and without exports. */
import { readFileSync } from "node:fs"

export const load = (files, names) => {
  const texts = files.map((name) => readFileSync(new URL(`../../rulelab/assets/${name}`, import.meta.url), "utf-8"))
  return new Function(`${texts.join("")}return { ${names.join(", ")} }`)()
}
