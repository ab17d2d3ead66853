// Measures the cost of reading a JSON body: the scan for members named twice and too many values beside JSON.parse of the same text, for
// bodies as they come and for those made to be slow, of which some are refused by the scan. `npm run bench -- bodies`; docs/performance.md says what the figures mean.
import { findStructureFault } from '../../src/platform/json-structure.ts'

const MOST_BYTES = 4 * 1024 * 1024
const LEVELS = 100
const VALUES = 50_000
const ROUNDS = 7
/** A scan may take three times as long as the parser of the same text, or this, if that is more. */
const LIMIT_MS = 50

const sentence = 'The cough is worse,\nand she said "it hurts" today. '
const message = (content: unknown) => ({ role: 'user', content })
const chat = (...messages: object[]): string => JSON.stringify({ model: 'gpt-4.1-mini', messages, seed: 7 })
const image = (bytes: number) => ({
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${'iVBORw0K'.repeat(bytes / 8)}` },
})
const listOf = (item: string): string =>
  `[${Array<string>(Math.floor(MOST_BYTES / (item.length + 1)))
    .fill(item)
    .join()}]`

const BODIES: Readonly<Record<string, string>> = {
  'one short message': chat(message('x'.repeat(130))),
  'a long conversation': chat(...Array.from({ length: 40 }, () => message(sentence.repeat(20)))),
  'one image': chat(message([image(MOST_BYTES - 200)])),
  'nothing but quotes': JSON.stringify({ a: '"'.repeat(MOST_BYTES / 2 - 10) }),
  'nothing but backslashes': JSON.stringify({ a: '\\'.repeat(MOST_BYTES / 2 - 10) }),
  'half a million small objects': listOf('{"a":1}'),
  'a third of a million names': JSON.stringify(
    Object.fromEntries(Array.from({ length: 330_000 }, (_, n) => [`k${n}`, 1])),
  ),
  'nothing but blanks': `{${' '.repeat(MOST_BYTES - 2)}}`,
}

function medianMs(bytes: number, work: () => unknown): number {
  const times = Math.max(1, Math.round(2_000_000 / bytes))
  const round = (): number => {
    const start = performance.now()
    for (let time = 0; time < times; time += 1) work()
    return (performance.now() - start) / times
  }
  round()
  return Array.from({ length: ROUNDS }, round).toSorted((a, b) => a - b)[(ROUNDS - 1) / 2] ?? Number.NaN
}

console.log(`${'body'.padEnd(30)}${'bytes'.padStart(10)}${'scan'.padStart(14)}${'JSON.parse'.padStart(14)}`)
for (const [name, json] of Object.entries(BODIES)) {
  const scanMs = medianMs(json.length, () => findStructureFault(json, LEVELS, VALUES))
  const parseMs = medianMs(json.length, () => JSON.parse(json) as unknown)
  const cells = [scanMs, parseMs].map((ms) => `${ms.toFixed(4)} ms`.padStart(14))
  console.log(`${name.padEnd(30)}${String(json.length).padStart(10)}${cells.join('')}`)
  if (scanMs > Math.max(3 * parseMs, LIMIT_MS)) process.exitCode = 1
}
