// Types of the contract's schemas: `node generate.mjs typescript|go CONTRACT FOLDER`; prints how many, and how many names they have.
import { readFileSync } from 'node:fs'
import { GoFileGenerator, TypeScriptFileGenerator } from '@asyncapi/modelina'

const [language, contract, folder] = process.argv.slice(2)
const [generator, options] = {
  typescript: () => [new TypeScriptFileGenerator({ modelType: 'interface' }), { exportType: 'named' }],
  go: () => [new GoFileGenerator(), { packageName: 'contract' }],
}[language]()
const models = await generator.generateToFiles(JSON.parse(readFileSync(contract, 'utf8')), folder, options)
const names = new Set(models.map((each) => each.modelName))
const nameless = [...names].filter((each) => each.startsWith('Anonymous'))
console.log(`${models.length} types, ${names.size} names, ${nameless.length} nameless`)
