// Which operations somebody means: every word of the question stands somewhere in what the operation is called and made of.
import { namesIn, schemasOf, type ApiDocument, type Operation } from './api-document.ts'

export type Indexed = { operation: Operation; words: string }

export const indexOf = (document: ApiDocument, operations: readonly Operation[]): readonly Indexed[] =>
  operations.map((operation) => ({ operation, words: wordsOf(document, operation).join('\n').toLowerCase() }))

function wordsOf(document: ApiDocument, operation: Operation): readonly string[] {
  const { method, path, operationId, summary, description = '', tags, parameters = [], responses } = operation
  const names = new Set<string>()
  for (const schema of schemasOf(operation)) namesIn(document, schema, names)
  return [
    `${method} ${path}`,
    operationId,
    summary,
    description,
    ...tags,
    ...parameters.map(({ name }) => name),
    ...Object.values(responses).map((response) => response.description),
    ...Object.values(responses).flatMap((response) => response['x-error-codes'] ?? []),
    ...Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
    ...names,
  ]
}

export function matching(indexed: readonly Indexed[], question: string): readonly Operation[] {
  const wanted = question.toLowerCase().split(/\s+/).filter(Boolean)
  return indexed.filter(({ words }) => wanted.every((word) => words.includes(word))).map(({ operation }) => operation)
}
