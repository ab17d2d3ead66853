// What the identifier guard costs: the median over 4,000 code points of dense clinical text, the ratio to the least that any
// such guard must do, one NFKC normalisation and one trivial regex over the same text in the same run, and the costliest
// letters that a search finds: npm run bench -- guard
import { readdirSync, readFileSync } from 'node:fs'
import { findIdentifiers } from '../../src/scanning/identifiers/identifiers.ts'
import { findCostlyLetters } from './guard/worst-letters.ts'

const CODE_POINTS = 4_000
const ROUNDS = 1_000
const LIMIT_MS = 1.5
const LIMIT_RATIO = 100
const LIMIT_WORST_MS = 5
const SHOWN = 10
const FOLDER = new URL('../../test/fixtures/guard/pass/', import.meta.url)

/** The clinical sentences of the fixtures, every file in turn, so that results, doses and abbreviations mix. */
function denseClinicalText(): string {
  const files = readdirSync(FOLDER).map((name) => {
    const lines = readFileSync(new URL(name, FOLDER), 'utf8').split('\n')
    return lines.filter((line) => line !== '' && !line.startsWith('#'))
  })
  const longest = Math.max(...files.map((lines) => lines.length))
  const mixed = Array.from({ length: longest }, (_, row) => files.flatMap((lines) => lines[row] ?? [])).flat()
  return Array.from(mixed.join('\n')).slice(0, CODE_POINTS).join('')
}

let sink = 0

function medianMs(work: () => number): number {
  for (let round = 0; round < ROUNDS; round += 1) sink += work()
  // One thread that never waits: the time that passes is CPU time, and this clock is the finer one.
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now()
    sink += work()
    return performance.now() - start
  })
  return times.toSorted((a, b) => a - b)[ROUNDS / 2] ?? Number.NaN
}

const text = denseClinicalText()
const guardMs = medianMs(() => findIdentifiers(text).length)
const floorMs = medianMs(() => text.normalize('NFKC').match(/\d+/g)?.length ?? 0)
const ratio = guardMs / floorMs

console.log(`text              ${Array.from(text).length} code points, ${text.match(/\d/g)?.length} of them digits`)
console.log(`guard             ${guardMs.toFixed(3)} ms at the median of ${ROUNDS} (limit ${LIMIT_MS})`)
console.log(`NFKC + one regex  ${floorMs.toFixed(3)} ms`)
console.log(`ratio             ${ratio.toFixed(1)} (limit ${LIMIT_RATIO})`)

console.log(
  `\nthe costliest letters of ${CODE_POINTS} code points, by what is repeated in them (limit ${LIMIT_WORST_MS} ms)`,
)
const costly = findCostlyLetters(CODE_POINTS, (letter) => {
  const start = performance.now()
  sink += findIdentifiers(letter).length
  return performance.now() - start
})
for (const { unit, ms } of costly.slice(0, SHOWN)) {
  console.log(`${ms.toFixed(2).padStart(6)} ms  ${JSON.stringify(unit)}  ${codePoints(unit)}`)
}
const worstMs = costly[0]?.ms ?? Number.NaN
if (sink < 0 || guardMs > LIMIT_MS || ratio > LIMIT_RATIO || !(worstMs <= LIMIT_WORST_MS)) process.exitCode = 1

function codePoints(unit: string): string {
  return Array.from(
    unit,
    (character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`,
  ).join(' ')
}
