// Front page: the example letters, grouped by their outcome, and the type of the letter to send.
import EXAMPLE_GROUPS from 'virtual:example-letters'

export { EXAMPLE_GROUPS }

const EXAMPLES = EXAMPLE_GROUPS.flatMap(({ examples }) => examples)

/** The text to send and, for some examples, an action. */
export type Letter = { exampleId: string | null; text: string; action: string | null }

export const FIRST_LETTER: Letter = { exampleId: null, text: '', action: null, ...letterOf(EXAMPLES[0]?.id ?? '') }

export function letterOf(id: string): Letter | null {
  const example = EXAMPLES.find((one) => one.id === id)
  return example === undefined ? null : { exampleId: id, text: example.text, action: example.action }
}

/** True if a sandbox key has a recorded reading of the text. Blanks around it and the kind of line ends are ignored. */
export const isExample = (text: string): boolean => TEXTS.has(fold(text))

const fold = (text: string): string => text.replaceAll(/\r\n?/g, '\n').trim()
const TEXTS = new Set(EXAMPLES.map(({ text }) => fold(text)))

export const MOST_CHARACTERS = 4_000

/** Counts Unicode code points, as the service does: a surrogate pair is one. */
export const charactersOf = (text: string): number => text.replaceAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, '_').length
