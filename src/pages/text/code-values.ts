// Values as code of a language writes them.

/** Quotes a text for a shell. A quote inside ends the quoted text, is escaped, and begins it again. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A value in Python: as JSON, but for three names. */
export const pythonValue = (value: unknown, indent: string): string =>
  JSON.stringify(value, null, 4)
    .replaceAll(/("(?:\\.|[^"\\])*")|\b(true|false|null)\b/g, (whole, text: string | undefined, name: string) =>
      text === undefined ? (PYTHON_NAMES[name] ?? whole) : whole,
    )
    .replaceAll('\n', `\n${indent}`)

const PYTHON_NAMES: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }
