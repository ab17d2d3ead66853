// npm run guard -- corpus: counts what the guard finds in a folder of texts, by shape, and prints the hits of one shape.
import { findIdentifiers } from '../../src/scanning/identifiers/find-identifiers.ts'
import { IDENTIFIER_SHAPES, type IdentifierShape } from '../../src/scanning/identifiers/shapes/identifiers.ts'
import type { IdentifierFinding } from '../../src/scanning/identifiers/find-identifiers.ts'
import { runCommand, UsageError, wholeNumber } from '../command-line.ts'
import { listFiles, placesOf, readTexts, summarise, type Text } from './texts.ts'

const HELP = `Usage: npm run guard -- corpus FOLDER … [options]

Measures the guard on public texts: counts hits by shape, and the files that would be refused.

Each file is a text. Files of any kind are read, save those that are not text.

  --shape SHAPE   prints the hits of this shape instead, with the text around them.
                  Not for letters of patients: others may see the screen, and logs keep it
  --limit N       prints at most N hits

Shapes: ${IDENTIFIER_SHAPES.slice(0, 6).join(', ')},
  ${IDENTIFIER_SHAPES.slice(6).join(', ')}

Examples:
  npm run guard -- corpus notes/
  npm run guard -- corpus notes/ --shape date --limit 50

Exit codes: 0 nothing found, 1 something found, 2 wrong command line.`

const AROUND = 40

export const runCorpus = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: HELP,
    takesArguments: true,
    options: { shape: { type: 'string' }, limit: { type: 'string' } },
    async run({ values: { shape, limit }, positionals }) {
      if (positionals.length === 0) throw new UsageError('The folder is missing. Name one.')
      if (limit !== undefined && shape === undefined) throw new UsageError('--limit needs --shape. Add it.')
      const most = limit === undefined ? Infinity : wholeNumber('limit', limit)
      const only = shape === undefined ? null : shapeNamed(shape)
      const { files } = await listFiles(positionals)
      return only === null ? countHits(files) : printHits(files, only, most)
    },
  })

function shapeNamed(name: string): IdentifierShape {
  const shape = IDENTIFIER_SHAPES.find((each) => each === name)
  if (shape === undefined) throw new UsageError(`Unknown shape ${name}. Shapes: ${IDENTIFIER_SHAPES.join(', ')}.`)
  return shape
}

async function countHits(files: readonly string[]): Promise<0 | 1> {
  const counts = new Map(IDENTIFIER_SHAPES.map((shape) => [shape, { hits: 0, files: 0 }]))
  const total = { hits: 0, files: 0 }
  let read = 0
  for await (const { text } of readTexts(files, false)) {
    read += 1
    const shapes = findIdentifiers(text).map(({ shape }) => shape)
    total.hits += shapes.length
    if (shapes.length > 0) total.files += 1
    for (const [shape, count] of counts) {
      const hits = shapes.filter((each) => each === shape).length
      count.hits += hits
      if (hits > 0) count.files += 1
    }
  }
  const rows = [...counts, ['total', total] as const].map(([name, count]) => row(name, count.hits, count.files))
  console.log([row('shape', 'hits', 'files'), ...rows, '', summarise(total.files, read)].join('\n'))
  return total.hits > 0 ? 1 : 0
}

const row = (name: string, hits: number | string, files: number | string): string =>
  `${name.padEnd(22)}${`${hits}`.padStart(8)}${`${files}`.padStart(8)}`

async function printHits(files: readonly string[], shape: IdentifierShape, most: number): Promise<0 | 1> {
  let printed = 0
  for await (const text of readTexts(files, true)) {
    const hits = findIdentifiers(text.text).filter((hit) => hit.shape === shape)
    const lines = hitsAsLines(text, hits).slice(0, most - printed)
    printed += lines.length
    for (const line of lines) console.log(line)
    if (printed >= most) break
  }
  return printed > 0 ? 1 : 0
}

/** Formats hits with the text around them. Control characters are left out, because a public text may have any. */
function hitsAsLines(text: Text, hits: readonly IdentifierFinding[]): string[] {
  if (hits.length === 0) return []
  const characters = Array.from(text.text)
  const part = (from: number, to: number): string =>
    characters.slice(Math.max(0, from), to).join('').replaceAll(CONTROLS, ' ')
  return placesOf(text, hits).map((place, at) => {
    const { start = 0, end = 0 } = hits[at] ?? {}
    const hit = `${part(start - AROUND, start)}[[${part(start, end)}]]${part(end, end + AROUND)}`
    return `${place}: ${start > AROUND ? '…' : ''}${hit}${end + AROUND < characters.length ? '…' : ''}`
  })
}

const CONTROLS = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu
