// The project's own texts: those that the identifier guard must find something in, those that it must let pass, and the
// invented letters of data/eval, which hold none. The guard was written with them at hand.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IDENTIFIER_SHAPES } from '../../../src/scanning/identifiers/identifier-shapes.ts'
import { readMarks, textsOfFile } from '../../../test/support/marked-text.ts'
import type { LabelledText } from './labelled-text.ts'

const GUARD = 'test/fixtures/guard'
const LETTERS = 'data/eval'

export function readProjectCorpora(): LabelledText[] {
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
