// Front page: the example letters, grouped by their outcome, the type of the letter to send, and the length of letters.
import type { Example } from '../../referral/examples/examples.ts'

/** The page is shown without examples if they are not here by then. */
const WAITS_FOR_EXAMPLES_MS = 3000

/** Returns no examples if the file cannot be read: people can still have a text of their own read. */
async function fetchExamples(): Promise<readonly Example[]> {
  try {
    const file = await fetch('/examples.json', { signal: AbortSignal.timeout(WAITS_FOR_EXAMPLES_MS) })
    // oxlint-disable-next-line typescript/no-unsafe-return -- a file of the same build, whose rules a test checks
    return file.ok ? await file.json() : []
  } catch {
    return []
  }
}

const EXAMPLES = await fetchExamples()

const GROUPS: readonly [title: string, has: (expected: Example['expected']) => boolean][] = [
  ['Both readers name the same specialty', ({ decision }) => decision === 'yes'],
  ['The clinician is asked', ({ decision }) => decision === 'ask'],
  ['An action that is held', ({ decision }) => decision === 'held'],
  ['Refused: it holds an identifier', ({ code }) => code === 'identifier_found'],
  ['Refused: an action that does not exist', ({ code }) => code === 'unknown_action'],
]

export const EXAMPLE_GROUPS = GROUPS.map(([title, has]) => ({
  title,
  examples: EXAMPLES.filter(({ expected }) => has(expected)),
})).filter(({ examples }) => examples.length > 0)

/** The text to send and, for some examples, an action. */
export type Letter = { exampleId: string | null; text: string; action: string | null }

export const FIRST_LETTER: Letter = {
  exampleId: null,
  text: '',
  action: null,
  ...findExampleLetter(EXAMPLE_GROUPS[0]?.examples[0]?.id ?? ''),
}

export function findExampleLetter(id: string): Letter | null {
  const example = EXAMPLES.find((one) => one.id === id)
  return example === undefined ? null : { exampleId: id, text: example.text, action: example.action }
}

/** True if a sandbox key has a recorded reading of the text. Blanks around it and the kind of line ends are ignored. */
export const isExample = (text: string): boolean => TEXTS.has(normaliseText(text))

const normaliseText = (text: string): string => text.replaceAll(/\r\n?/g, '\n').trim()
const TEXTS = new Set(EXAMPLES.map(({ text }) => normaliseText(text)))

export const MOST_LETTER_CHARACTERS = 4_000

/** Counts Unicode code points, as the service does: a surrogate pair is one. */
export const countLetterCharacters = (text: string): number =>
  text.replaceAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, '_').length
