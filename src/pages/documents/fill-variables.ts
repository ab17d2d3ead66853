// Puts a reader's values in the place of shell variables, such as $KEY, in the lines of a document.

/** Values by the names of the variables. Empty ones are left out. */
export type Variables = Readonly<Record<string, string>>

const VARIABLE = /\$([A-Z][A-Z_]*)\b/g

/** Returns the names of the variables in the texts, each once, in their order. */
export const namesIn = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => Array.from(text.matchAll(VARIABLE), ([, name = '']) => name))),
]

/** Returns the text with the values. A character that could end the quotes around a variable leaves the variable as it is. */
export const fillVariables = (text: string, values: Variables): string =>
  text.replaceAll(VARIABLE, (variable, name: string) => {
    const value = values[name] ?? ''
    return /^[\w:/.@+-]+$/.test(value) ? value : variable
  })
