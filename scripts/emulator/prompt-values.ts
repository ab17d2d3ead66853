// Finds what a prompt says about an answer: values for the members of a schema, the members of a JSON object, and which tool it is about.

/** The values of a prompt, in its order. Each is taken once. */
export type PromptValues = {
  /** Returns the next number that fits, or null. */
  takeNumber: (fits: (value: number) => boolean) => number | null
  /** Returns the next quoted text that fits, or null. */
  takeText: (fits: (value: string) => boolean) => string | null
}

const MOST_VALUES = 100

/** A number that stands alone: no part of a name, a version or a date. */
const NUMBER = /(?<![\p{L}\p{N}_.:/-])-?\d{1,15}(?:\.\d{1,15})?(?![\p{L}\p{N}_:/-]|\.\d)/gu

/** A text in quotation marks. An apostrophe inside a word is none. */
const QUOTED =
  /(?<![\p{L}\p{N}])(?:'([^'\n]{1,200})'|"([^"\n]{1,200})"|`([^`\n]{1,200})`|“([^”\n]{1,200})”|‘([^’\n]{1,200})’)(?![\p{L}\p{N}])/gu

export function valuesIn(prompt: string): PromptValues {
  const numbers = Array.from(prompt.matchAll(NUMBER).take(MOST_VALUES), ([text]) => Number(text))
  const texts = quotedIn(prompt)
  return {
    takeNumber: (fits) => takeFirst(numbers, fits),
    takeText: (fits) => takeFirst(texts, fits),
  }
}

const quotedIn = (prompt: string): string[] =>
  Array.from(prompt.matchAll(QUOTED).take(MOST_VALUES), ([, ...groups]) => groups.find((text) => text) ?? '')

function takeFirst<T>(values: T[], fits: (value: T) => boolean): T | null {
  const at = values.findIndex(fits)
  return at === -1 ? null : (values.splice(at, 1)[0] ?? null)
}

const NAME = /^[\p{L}_][\p{L}\p{N}_-]{0,63}$/u

/** Returns the quoted names, such as those of the members that a JSON object should have. */
export const quotedNames = (prompt: string): string[] => [
  ...new Set(quotedIn(prompt).filter((text) => NAME.test(text))),
]

/** Words as short as `get` and `find` say what a tool does, and not what it is about. */
const SHORTEST_TOPIC = 5

/** True if the prompt has a word of the tool's name that says what it is about, such as `weather` for `get_weather`. */
export function isAbout(prompt: string, toolName: string): boolean {
  const topics = wordsIn(toolName.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')).filter(
    (word) => word.length >= SHORTEST_TOPIC,
  )
  const words = new Set(topics.length === 0 ? [] : wordsIn(prompt))
  return topics.some((word) => words.has(word))
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
