// Judges AsyncAPI documents with the specification's own parser: `node validate.mjs FILE...`; exit code 1 for an error.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { Parser } from '@asyncapi/parser'

const parser = new Parser()
for (const file of process.argv.slice(2)) {
  const { document, diagnostics } = await parser.parse(readFileSync(file, 'utf8'))
  const errors = diagnostics.filter((each) => each.severity < 2)
  for (const each of errors) console.log(`${basename(file)}: ${each.code} ${each.path.join('.')}: ${each.message}`)
  if (document === undefined || errors.length > 0) process.exitCode = 1
  else console.log(`${basename(file)}: ${document.channels().all().length} channels, ${document.operations().all().length} operations`)
}
