// npm run eval -- pii: how much of identifiers, accounts and tokens the scan of the policies finds in labelled texts, and how often
// it is wrong, beside Microsoft Presidio on the same texts.
import { parseArgs } from 'node:util'
import { findShapes } from '../../../src/scanning/identifiers/find-shapes.ts'
import { SHAPES, type Shape } from '../../../src/scanning/identifiers/identifier-shapes.ts'
import { inventLetters } from './held-out-letters.ts'
import type { LabelledText, Span } from './labelled-text.ts'
import { measureShapes } from './measure.ts'
import { COMPARED, openPresidio, type Presidio } from './presidio.ts'
import { readProjectCorpora } from './project-corpora.ts'
import { reportBeside, reportShapes } from './report.ts'

const HELP = `npm run eval -- pii [options]

Says for each shape how much of it pii_scan finds, and how often what it finds is that: in the project's own texts, and in
letters that are invented for the run and were not used to write the scan. Beside that, the same of Presidio for the shapes that it
has too. Presidio is installed once, with pip, in a folder that git ignores; without a network only ours is measured.

  --letters N     letters to invent (600)
  --seed N        other letters than the usual ones (1)
  --python PATH   the Python to run Presidio with (python3)
  --alone         without Presidio
  --help          this text`

/** Throws an Error that says what is wrong with the arguments. */
export function runPiiEval(args: readonly string[]): void {
  const { values } = parseArgs({
    args: [...args],
    options: {
      letters: { type: 'string', default: '600' },
      seed: { type: 'string', default: '1' },
      python: { type: 'string', default: 'python3' },
      alone: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return console.log(HELP)
  const [letters, seed] = [Number(values.letters), Number(values.seed)]
  if (!Number.isInteger(letters) || letters < 1 || !Number.isInteger(seed)) throw new Error('Give whole numbers.')
  const presidio = values.alone ? 'It was left out.' : openPresidio(values.python)
  console.log(
    `Shares with their 95% interval (Wilson). Presidio: ${typeof presidio === 'string' ? presidio : presidio.name}\n`,
  )
  report('The project’s own texts', readProjectCorpora(), presidio)
  report(`${letters} invented letters, held out`, inventLetters(letters, seed), presidio)
}

function report(title: string, texts: readonly LabelledText[], presidio: Presidio | string): void {
  const found = texts.map(({ text }) => scan(text))
  console.log(
    `${title}: ${texts.length} texts\n\n${reportShapes(measureShapes(texts, found, { shapes: SHAPES, nameOf: itself }))}\n`,
  )
  if (typeof presidio === 'string') return
  const shapes = SHAPES.filter((shape) => COMPARED.has(shape))
  const compared = { shapes, nameOf: (shape: Shape): Shape => COUNTS_AS[shape] ?? shape }
  const theirs = measureShapes(texts, presidio.scan(texts), compared)
  console.log(`${title}: beside Presidio\n\n${reportBeside(measureShapes(texts, found, compared), theirs)}\n`)
}

const itself = (shape: Shape): Shape => shape

/** What one entity of Presidio’s stands for: its dates are dates of birth too, and its NHS numbers any with their check digit. */
const COUNTS_AS: Readonly<Partial<Record<Shape, Shape>>> = {
  date_of_birth: 'date',
  chi_number: 'nhs_number',
  health_and_care_number: 'nhs_number',
}

function scan(text: string): Span[] {
  const at = codePoints(text)
  return findShapes(text, () => true).map(({ shape, start, end }) => ({ shape, start: at(start), end: at(end) }))
}

/** From offsets in UTF-16 units to offsets in code points. */
function codePoints(text: string): (unit: number) => number {
  const offsets = new Map<number, number>()
  let unit = 0
  let count = 0
  for (const character of text) {
    offsets.set(unit, count)
    unit += character.length
    count += 1
  }
  return (asked) => offsets.get(asked) ?? count
}
