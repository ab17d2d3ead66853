// How much the identifier guard refuses: generated identifiers of each shape, in all kinds of company and disguise, and
// clinical writing that holds none. npm run bench -- guard-refusals [--seed N] [--cases N] [--show N]
import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { findIdentifiers } from '../../src/scanning/identifiers/identifiers.ts'
import { IDENTIFIER_SHAPES } from '../../src/scanning/identifiers/identifier-shapes.ts'
import { heldOutControls, heldOutIdentifiers } from '../../test/unit/scanning/identifiers/held-out/cases.ts'

const HELP = `npm run bench -- guard-refusals [--seed N] [--cases N] [--show N]

Generates identifiers of the eleven shapes and clinical texts without one, and prints what share of each is refused.

  --seed N    other texts than the usual ones (1)
  --cases N   texts a shape, and twice as many clinical ones (4000)
  --show N    prints at most N texts of each kind that were judged wrongly (0)`

const PASS = new URL('../../test/fixtures/guard/pass/', import.meta.url)

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    cases: { type: 'string', default: '4000' },
    show: { type: 'string', default: '0' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const [seed, cases, show] = [values.seed, values.cases, values.show].map(Number)

function fixtures(): string[] {
  return readdirSync(PASS).flatMap((name) =>
    readFileSync(new URL(name, PASS), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  )
}

function tell(name: string, texts: readonly string[], isWrong: (text: string) => boolean): number {
  const wrong = texts.filter(isWrong)
  const refused = name.endsWith('pass') ? wrong.length : texts.length - wrong.length
  const share = ((100 * refused) / texts.length).toFixed(2)
  console.log(
    `${name.padEnd(28)} ${String(texts.length).padStart(6)} ${String(refused).padStart(6)} ${share.padStart(7)} %`,
  )
  for (const text of wrong.slice(0, show)) console.log(`    ${JSON.stringify(text)}`)
  return wrong.length
}

function isRefused(text: string): boolean {
  return findIdentifiers(text).length > 0
}

function run(): void {
  if (values.help || [seed, cases, show].some((value) => !Number.isInteger(value))) {
    console.log(HELP)
    if (!values.help) process.exitCode = 2
    return
  }
  console.log(`${''.padEnd(28)} ${'texts'.padStart(6)} ${'refused'.padStart(7)} ${'share'.padStart(7)}`)
  for (const shape of IDENTIFIER_SHAPES) {
    const texts = heldOutIdentifiers(shape, cases ?? 0, seed ?? 0).map(({ text }) => text)
    tell(shape, texts, (text) => !isRefused(text))
  }
  tell('generated clinical: pass', heldOutControls(2 * (cases ?? 0), seed ?? 0), isRefused)
  tell('written clinical: pass', fixtures(), isRefused)
}

run()
