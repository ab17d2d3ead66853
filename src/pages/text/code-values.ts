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

type ClientCall = {
  origin: string
  /** As code. */
  key: string
  method?: string
  /** The arguments as code. */
  given: readonly string[]
  /** Lines of code. */
  after: readonly string[]
}

const CHAT = 'chat.completions.create'

/** A program that calls a model with OpenAI's package for Python. */
export const pythonClient = ({ origin, key, method = CHAT, given, after }: ClientCall): string =>
  [
    ...(key.startsWith('os.') ? ['import os'] : []),
    'from openai import OpenAI',
    '',
    'client = OpenAI(',
    `    base_url="${origin}/v1",`,
    `    api_key=${key},`,
    ')',
    `answer = client.${method}(`,
    ...given.map((argument) => `    ${argument},`),
    ')',
    ...after,
  ].join('\n')

/** The same in JavaScript. */
export const nodeClient = ({ origin, key, method = CHAT, given, after }: ClientCall): string =>
  [
    `import OpenAI from 'openai'`,
    '',
    'const client = new OpenAI({',
    `  baseURL: '${origin}/v1',`,
    `  apiKey: ${key},`,
    '})',
    `const answer = await client.${method}(${given.join(', ')})`,
    ...after,
  ].join('\n')
