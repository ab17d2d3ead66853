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

export const CHAT = 'chat.completions.create'
export const MESSAGES = 'messages.create'

/** The package with the method: its class, its name for Node, and the path that it does not add itself. */
const packageOf = (method: string) =>
  method === MESSAGES
    ? { name: 'Anthropic', from: '@anthropic-ai/sdk', path: '' }
    : { name: 'OpenAI', from: 'openai', path: '/v1' }

/** A program that calls a model with the package of OpenAI or Anthropic for Python. */
export function pythonClient({ origin, key, method = CHAT, given, after }: ClientCall): string {
  const { name, path } = packageOf(method)
  return [
    ...(key.startsWith('os.') ? ['import os'] : []),
    `from ${name.toLowerCase()} import ${name}`,
    '',
    `client = ${name}(`,
    `    base_url="${origin}${path}",`,
    `    api_key=${key},`,
    ')',
    `answer = client.${method}(`,
    ...given.map((argument) => `    ${argument},`),
    ')',
    ...after,
  ].join('\n')
}

/** The same in JavaScript. */
export function nodeClient({ origin, key, method = CHAT, given, after }: ClientCall): string {
  const { name, from, path } = packageOf(method)
  return [
    `import ${name} from '${from}'`,
    '',
    `const client = new ${name}({`,
    `  baseURL: '${origin}${path}',`,
    `  apiKey: ${key},`,
    '})',
    `const answer = await client.${method}(${given.join(', ')})`,
    ...after,
  ].join('\n')
}
