// npm run eval -- pii: measures the scan of prompts on labelled texts: how many identifiers, accounts and tokens it finds, and
// how many findings are wrong.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findShapes } from '../../src/scanning/identifiers/find-shapes.ts'
import { IDENTIFIER_SHAPES } from '../../src/scanning/identifiers/shapes/identifiers.ts'
import { SHAPES, type Shape } from '../../src/scanning/identifiers/shapes/index.ts'
import { readMarks, textsOfFile } from '../../test/support/marked-text.ts'
import { inventLetters, type AnnotatedText, type Span } from './invented-letters.ts'
import { shareOf, showShareInTable, type Share } from './shares.ts'

export const PII_HELP = `Usage: npm run eval -- pii [options]

Measures how well pii_scan finds each kind of identifier in invented texts.

  --letters N     invented letters (default 600)
  --seed N        seed of the letters (default 1)

Example:
  npm run eval -- pii --letters 100

Exit codes: 0 done, 2 not possible.`

/** Returns the tables of the project's own texts, and of letters that are invented anew. */
export const reportPii = (letters: number, seed: number): string =>
  [
    'Shares with their 95% interval (Wilson).',
    report('The project’s own texts', readProjectCorpora()),
    report(`${letters} invented letters, held out`, inventLetters(letters, seed)),
  ].join('\n\n')

function report(title: string, texts: readonly AnnotatedText[]): string {
  const found = texts.map(({ text }) => scan(text))
  return `${title}: ${texts.length} texts\n\n${reportShapes(measureShapes(texts, found, SHAPES))}`
}

function scan(text: string): Span[] {
  const at = codePoints(text)
  return findShapes(text, () => true).map(({ shape, start, end }) => ({ shape, start: at(start), end: at(end) }))
}

/** Returns a function that converts offsets from UTF-16 units to code points. */
function codePoints(text: string): (unit: number) => number {
  const offsets = new Map<number, number>()
  let unit = 0
  let count = 0
  for (const character of text) {
    offsets.set(unit, count)
    unit += character.length
    count += 1
  }
  return (offset) => offsets.get(offset) ?? count
}

export type ShapeMeasure = {
  readonly shape: Shape
  /** The share of the shape's values that were found under its name. */
  readonly recall: Share
  /** The share of findings under its name that are right. */
  readonly precision: Share
  /** The share of the shape's values that were found under any name. */
  readonly anyName: Share
}

/** Measures each shape. A finding counts if it overlaps a value. */
export function measureShapes(
  texts: readonly AnnotatedText[],
  found: readonly (readonly Span[])[],
  shapes: readonly Shape[],
): ShapeMeasure[] {
  const rows = texts.map(({ spans }, at) => ({ there: spans, found: found[at] ?? [] }))
  return shapes.map((shape) => {
    const tally = { there: 0, met: 0, anyName: 0, found: 0, right: 0 }
    for (const row of rows) {
      const there = row.there.filter((span) => span.shape === shape)
      const named = row.found.filter((span) => span.shape === shape)
      tally.there += there.length
      tally.met += there.filter((span) => named.some((one) => overlap(span, one))).length
      tally.anyName += there.filter((span) => row.found.some((one) => overlap(span, one))).length
      tally.found += named.length
      tally.right += named.filter((one) => there.some((span) => overlap(span, one))).length
    }
    return {
      shape,
      recall: shareOf(tally.met, tally.there),
      precision: shareOf(tally.right, tally.found),
      anyName: shareOf(tally.anyName, tally.there),
    }
  })
}

const overlap = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end

const GUARD = 'test/fixtures/guard'
const LETTERS = 'data/eval'

/** Reads the texts of the guard's tests, and the letters of data/eval, which contain no value. The scan was written with them. */
export function readProjectCorpora(): AnnotatedText[] {
  const marked = IDENTIFIER_SHAPES.flatMap((shape) =>
    textsOfFile(readFileSync(join(GUARD, 'refuse', `${shape}.txt`), 'utf8')).map((line) => {
      const { text, ranges } = readMarks(line)
      return { text, spans: ranges.map(({ start, end }) => ({ shape, start, end })) }
    }),
  )
  const passing = textFiles(join(GUARD, 'pass')).flatMap(textsOfFile)
  return [...marked, ...[...passing, ...textFiles(LETTERS)].map((text) => ({ text, spans: [] }))]
}

const textFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))

/** Formats the measures as a Markdown table. */
export function reportShapes(measures: readonly ShapeMeasure[]): string {
  const rows = measures
    .filter(({ recall, precision }) => recall.n > 0 || precision.n > 0)
    .map(
      ({ shape, precision, recall, anyName }) =>
        `| \`${shape}\` | ${[precision, recall, anyName].map(showShareInTable).join(' | ')} |`,
    )
  return ['| shape | precision | recall | found under any name |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
