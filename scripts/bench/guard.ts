// npm run bench -- guard: measures the time of text scans. The identifier guard reads 4,000 code points of dense clinical text.
// Its report has the median time, the ratio to the least possible work, and the costliest letters. The scans of prompts read
// several kinds of text. Their report has microseconds per KiB, and for hostile texts seconds per MiB and the longest slice. Answers
// are read in pieces: their report has milliseconds per KiB, and the characters that wait.
import { readdirSync, readFileSync } from 'node:fs'
import { createAnswerWindow } from '../../src/scanning/answers/answer-window.ts'
import { findShapes } from '../../src/scanning/identifiers/find-shapes.ts'
import { findIdentifiers } from '../../src/scanning/identifiers/find-identifiers.ts'
import { findInjections, findInjectionsInSteps } from '../../src/scanning/injection/find-injections.ts'
import { redactInSteps, redactRequest } from '../../src/gateway/scan/redact-request.ts'
import { runInSlices, runSteps, type Steps } from '../../src/platform/computation-steps.ts'
import { textMessage } from '../../src/providers/chat-request.ts'
import { textsOf } from '../../src/scanning/texts/request-texts.ts'
import { runCommand } from '../command-line.ts'
import { inventLetters } from '../eval/invented-letters.ts'
import { findCostlyLetters } from './guard/costly-letters.ts'
import { median } from './statistics.ts'
import { plainTable, verdict } from './benchmark-report.ts'

const CODE_POINTS = 4_000
const KIB = 1024
const CHARACTERS = 8 * KIB
const ROUNDS = 200
const LIMIT_MS = 1.5
const LIMIT_RATIO = 100
const LIMIT_WORST_MS = 5
const LETTERS_SHOWN = 10
const HELP = `Usage: npm run bench -- guard

Measures the time of the identifier guard and of the scans of prompts and answers.

Example:
  npm run bench -- guard

Exit codes: 0 the guard meets its targets, 1 it misses one, 2 wrong command line.`

const FOLDER = new URL('../../test/fixtures/guard/pass/', import.meta.url)

/** Returns the clinical sentences of the fixtures, one of each file in turn, so that results, doses and abbreviations mix. */
function clinicalText(): string {
  const files = readdirSync(FOLDER).map((name) => {
    const lines = readFileSync(new URL(name, FOLDER), 'utf8').split('\n')
    return lines.filter((line) => line !== '' && !line.startsWith('#'))
  })
  const longest = Math.max(...files.map((lines) => lines.length))
  return Array.from({ length: longest }, (_, row) => files.flatMap((lines) => lines[row] ?? []))
    .flat()
    .join('\n')
}

let sink = 0

/** Returns the elapsed milliseconds, which equal CPU time: the work runs on one thread. This clock is finer than the CPU's. */
function timeMs(work: () => number): number {
  const start = performance.now()
  sink += work()
  return performance.now() - start
}

function medianMs(work: () => number): number {
  for (let round = 0; round < ROUNDS; round += 1) sink += work()
  return median(Array.from({ length: ROUNDS }, () => timeMs(work)))
}

function measureGuard(text: string): boolean {
  const guardMs = medianMs(() => findIdentifiers(text).length)
  const floorMs = medianMs(() => text.normalize('NFKC').match(/\d+/g)?.length ?? 0)
  const costly = findCostlyLetters(CODE_POINTS, (letter) => timeMs(() => findIdentifiers(letter).length))
  const verdicts = [
    verdict('guard', guardMs, LIMIT_MS, ' ms'),
    verdict('ratio to NFKC and one regex', guardMs / floorMs, LIMIT_RATIO),
    verdict('costliest letter', costly[0]?.ms ?? Number.NaN, LIMIT_WORST_MS, ' ms'),
  ]
  console.log(`${CODE_POINTS} code points of clinical text, ${text.match(/\d/g)?.length} of them digits`)
  console.log(verdicts.map(({ line }) => line).join('\n'))
  console.log('\nthe costliest letters, by what is repeated in them')
  for (const { unit, ms } of costly.slice(0, LETTERS_SHOWN)) {
    console.log(`${ms.toFixed(2).padStart(6)} ms  ${JSON.stringify(unit)}  ${codePoints(unit)}`)
  }
  return verdicts.every(({ holds }) => holds)
}

const codePoints = (unit: string): string =>
  Array.from(unit, (character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`).join(
    ' ',
  )

const PROSE = 'A referral letter that nobody wrote, about a knee that nobody has. '

const TEXTS: Readonly<Record<string, string>> = {
  'prose without a figure': PROSE.repeat(200),
  'a README': readFileSync('README.md', 'utf8'),
  JSON: readFileSync('data/models.json', 'utf8'),
  'results, doses and codes': clinicalText(),
  'letters full of identifiers': inventLetters(40, 1)
    .map(({ text }) => text)
    .join('\n'),
}

const SCANS: Readonly<Record<string, (text: string) => number>> = {
  identifiers: (text) => findShapes(text, () => true).length,
  'taken out': (text) => redactRequest({ messages: [textMessage('user', text)] }, { default: 'redact' }).redacted,
  injection: (text) => findInjections(text, false).length,
}

function measureScans(): void {
  const rows = Object.entries(TEXTS).map(([name, whole]) => {
    const text = whole.slice(0, CHARACTERS)
    const perKib = (scan: (text: string) => number): number => (1000 * medianMs(() => scan(text)) * KIB) / text.length
    return [name].concat(Object.values(SCANS).map((scan) => perKib(scan).toFixed(1)))
  })
  console.log(`\n${plainTable([['scans of prompts, µs a KiB', ...Object.keys(SCANS)], ...rows])}`)
}

const PIECE = 4

/** Reads a text as a stream brings it. Returns the characters that waited after each piece. */
function readInPieces(text: string): number[] {
  const window = createAnswerWindow(() => true)
  const held: number[] = []
  for (let at = 0; at < text.length; at += PIECE) {
    runSteps(window.push(text.slice(at, at + PIECE)))
    held.push(Math.min(text.length, at + PIECE) - window.decided)
  }
  runSteps(window.end())
  sink += window.findings.length
  return held
}

function measureAnswers(): void {
  const rows = Object.entries(TEXTS).map(([name, whole]) => {
    const text = whole.slice(0, CHARACTERS)
    const perKib = (scan: () => number): string => ((medianMs(scan) * KIB) / text.length).toFixed(2)
    const held = readInPieces(text).toSorted((one, other) => one - other)
    const share = (part: number): string => String(held[Math.floor(held.length * part)])
    const atOnce = perKib(() => findShapes(text, () => true).length)
    return [name, atOnce, perKib(() => readInPieces(text).length), share(0.5), share(0.95), share(0.99)]
  })
  const names = ['answers, ms a KiB', 'at its end', `in pieces of ${PIECE}`, 'waits: median', '95 in 100', '99 in 100']
  console.log(`\n${plainTable([names, ...rows])}`)
}

/** Each of these is repeated to a MiB. The README is, too, to compare with. */
const HOSTILE =
  '(01)|01 |O1 |0044 |087 123 4567 |one two three |\u00bd|sk-|-|<|<b>1</b>|<mrn>1</mrn>|{\\rtf1\\b 1|=C3=A9|**1**'.split(
    '|',
  )
const MIB = 1024 * KIB

/** Both scans, as a policy with both has them. */
function* scanInSteps(text: string): Steps<void> {
  const request = { messages: [textMessage('user', text)] }
  yield* redactInSteps(request, { default: 'redact' }, textsOf(request))
  yield* findInjectionsInSteps(text, false)
}

async function measureHostile(): Promise<void> {
  const units = [
    ['a README', readFileSync('README.md', 'utf8')],
    ...HOSTILE.map((unit) => [JSON.stringify(unit), unit]),
  ]
  const rows: string[][] = []
  for (const [name = '', unit = ''] of units) {
    const text = unit.repeat(Math.ceil(MIB / unit.length)).slice(0, MIB)
    const slices: number[] = []
    let start = performance.now()
    await runInSlices(scanInSteps(text), async () => {
      slices.push(performance.now() - start)
      start = performance.now()
    })
    const seconds = slices.reduce((sum, ms) => sum + ms, 0) / 1000
    rows.push([name, seconds.toFixed(2), Math.max(...slices).toFixed(0)])
  }
  console.log(`\n${plainTable([['both scans of a MiB', 's', 'longest slice, ms'], ...rows])}`)
}

export const benchGuard = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: HELP,
    options: {},
    async run() {
      const holds = measureGuard(Array.from(clinicalText()).slice(0, CODE_POINTS).join(''))
      measureScans()
      measureAnswers()
      await measureHostile()
      return sink < 0 || !holds ? 1 : 0
    },
  })
