// The example letters, grouped by their outcome.
import examplesJson from '../../../data/examples.json' with { type: 'json' }
import type { Example } from '../../referral/examples/examples.schema.ts'

type ShownExample = Pick<Example, 'id' | 'title' | 'text' | 'action'> & {
  expected: Pick<Example['expected'], 'decision' | 'code'>
}

/** The build keeps only these members (scripts/pages/example-letters.ts). */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service's own tests hold the file to this schema
export const EXAMPLES = examplesJson as readonly ShownExample[]

/** The text to send and, for some examples, an action. */
export type Letter = { exampleId: string | null; text: string; action: string | null }

export const FIRST_LETTER: Letter = { exampleId: null, text: '', action: null, ...letterOf(EXAMPLES[0]?.id ?? '') }

export function letterOf(id: string): Letter | null {
  const example = EXAMPLES.find((one) => one.id === id)
  return example === undefined ? null : { exampleId: id, text: example.text, action: example.action }
}

const GROUPS: readonly [title: string, has: (example: ShownExample) => boolean][] = [
  ['Both readers name the same specialty', ({ expected }) => expected.decision === 'yes'],
  ['The clinician is asked', ({ expected }) => expected.decision === 'ask'],
  ['An action that is held', ({ expected }) => expected.decision === 'held'],
  ['Refused: it holds an identifier', ({ expected }) => expected.code === 'identifier_found'],
  ['Refused: an action that does not exist', ({ expected }) => expected.code === 'unknown_action'],
]

export const EXAMPLE_GROUPS = GROUPS.map(([title, has]) => ({ title, examples: EXAMPLES.filter(has) }))

/** True if a sandbox key has a reading of the text. Blanks around it and the kind of line ends do not count. */
export const isExample = (text: string): boolean => TEXTS.has(fold(text))

const fold = (text: string): string => text.replaceAll(/\r\n?/g, '\n').trim()
const TEXTS = new Set(EXAMPLES.map(({ text }) => fold(text)))

export const MOST_CHARACTERS = 4_000

/** Counts Unicode code points, as the service does: a pair of surrogates is one. */
export const charactersOf = (text: string): number => text.replaceAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, '_').length
