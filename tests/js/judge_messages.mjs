// Judges messages by the contract's schemas: `node judge_messages.mjs CONTRACT FILE`, FILE with a JSON array [SCHEMA, MESSAGE] in each line.
import { readFileSync } from 'node:fs'
import Ajv from 'ajv/dist/2020.js'

const [contract, messages] = process.argv.slice(2)
const { schemas } = JSON.parse(readFileSync(contract, 'utf8')).components
const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false })
ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/)
ajv.addKeyword('components') // where the document has its schemas, and their references lead
ajv.addSchema({ $id: 'contract', components: { schemas } })

let judged = 0
let failed = 0
for (const line of readFileSync(messages, 'utf8').split('\n').filter(Boolean)) {
  const [schema, message] = JSON.parse(line)
  const valid = ajv.getSchema(`contract#/components/schemas/${schema}`)
  judged += 1
  if (valid(message)) continue
  failed += 1
  if (failed <= 5) console.error(`line ${judged}: ${schema}: ${ajv.errorsText(valid.errors)}`)
}
console.log(`${judged} messages, ${failed} failures`)
process.exitCode = failed > 0 ? 1 : 0
