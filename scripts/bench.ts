// Runs one of the benches of scripts/bench: `npm run bench -- NAME [options]`. A bench is a file there that does its work
// when it is imported, and reads its options as if it had been run by itself.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, 'bench')

const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
  .toSorted()

const HELP = `npm run bench -- NAME [options]

Benches: ${names.join(', ')}. Each explains itself: npm run bench -- NAME --help`

const [runtime = '', , name] = process.argv
if (name !== undefined && names.includes(name)) {
  const file = join(FOLDER, `${name}.ts`)
  process.argv = [runtime, file, ...process.argv.slice(3)]
  await import(file)
} else {
  const asked = name === undefined || name === '--help' || name === '-h'
  if (asked) console.log(HELP)
  else console.error(`There is no bench named ${name}.\n\n${HELP}`)
  process.exitCode = asked ? 0 : 2
}
