// What pii_scan costs: the median over texts of several kinds, looked through, and with what is found taken out, put back into
// an answer that repeats it all: npm run bench -- pii
import { readFileSync } from 'node:fs'
import { findShapes } from '../../src/scanning/identifiers/find-shapes.ts'
import { redactRequest } from '../../src/gateway/scan/redact-request.ts'
import { createRestorer } from '../../src/scanning/redaction/placeholders.ts'
import { textMessage, type ChatRequest } from '../../src/providers/request.ts'
import { readLabelledLetters } from '../eval/labelled-files.ts'
import { inventLetters } from '../eval/invented-letters.ts'
import { readProjectCorpora } from '../eval/pii.ts'

const KIB = 1024
const CHARACTERS = 8 * KIB
const ROUNDS = 200
const PIECE = 4

const PROSE = 'A referral letter that nobody wrote, about a knee that nobody has. '

const TEXTS: Readonly<Record<string, string>> = {
  'prose without a figure': PROSE.repeat(200),
  'a README': readFileSync('README.md', 'utf8'),
  JSON: readFileSync('data/models.json', 'utf8'),
  'clinical letters': readLabelledLetters('data/eval')
    .map(({ text }) => text)
    .join('\n'),
  'results, doses and codes': readProjectCorpora()
    .filter(({ spans }) => spans.length === 0)
    .map(({ text }) => text)
    .join('\n'),
  'letters full of identifiers': inventLetters(40, 1)
    .map(({ text }) => text)
    .join('\n'),
}

let sink = 0

function medianMicroseconds(work: () => number): number {
  for (let round = 0; round < ROUNDS; round += 1) sink += work()
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now()
    sink += work()
    return performance.now() - start
  })
  return 1_000 * (times.toSorted((one, other) => one - other)[ROUNDS / 2] ?? Number.NaN)
}

const asked = (text: string): ChatRequest => ({ messages: [textMessage('user', text)] })

function restoreInPieces(answer: string, values: ReadonlyMap<string, string>): number {
  const restorer = createRestorer(values).inPieces('plain')
  let length = 0
  for (let at = 0; at < answer.length; at += PIECE) length += restorer.push(answer.slice(at, at + PIECE)).length
  return length + restorer.flush().length
}

const cells = (...values: readonly (string | number)[]): string =>
  values.map((value) => (typeof value === 'number' ? value.toFixed(1) : value).padStart(12)).join('')

console.log(`${'µs a KiB'.padEnd(30)}${cells('search', 'take out', 'put back', 'in pieces', 'found')}`)
for (const [name, whole] of Object.entries(TEXTS)) {
  const text = whole.slice(0, CHARACTERS)
  const perKib = (work: () => number): number => medianMicroseconds(work) / (text.length / KIB)
  const { request, values } = redactRequest(asked(text), { default: 'redact' })
  const [part] = request.messages[0]?.content ?? []
  const answer = part?.type === 'text' ? part.text : ''
  const search = perKib(() => findShapes(text, () => true).length)
  const takeOut = perKib(() => redactRequest(asked(text), { default: 'redact' }).redacted)
  const putBack = perKib(() => createRestorer(values).restore(answer, 'plain').length)
  const inPieces = perKib(() => restoreInPieces(answer, values))
  console.log(`${name.padEnd(30)}${cells(search, takeOut, putBack, inPieces, String(values.size))}`)
}
const short = medianMicroseconds(() => findShapes('What is the capital of Ireland?', () => true).length)
console.log(`\na question of 31 characters: ${short.toFixed(1)} µs`)
if (sink < 0) process.exitCode = 1
