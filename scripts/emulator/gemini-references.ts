// The emulator's refusals of references that Gemini does not take: in a function's result, and in a JSON schema.

import { isObject } from './sample-json.ts'

const REFERENCE = '$ref'

/**
 * Returns what is wrong with a function's result, or null. Gemini takes each `$ref` in it, at any depth, as the name of a file
 * beside it.
 */
export function resultProblem({ response, parts }: { response?: unknown; parts: readonly unknown[] }): string | null {
  const names = new Set(
    parts.filter(isObject).map(({ inlineData }) => isObject(inlineData) && inlineData['displayName']),
  )
  const unknown = namesIn(response).find((name) => !names.has(name))
  if (unknown === undefined) return null
  return `The name ${unknown} in function_response.response is not a display_name in function_response.parts`
}

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => (name === REFERENCE ? String(inner) : namesIn(inner)))
}

/** These keywords hold values, and no schemas. */
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])

/**
 * Returns what is wrong with a schema, or null. Gemini takes only keywords that begin with `$` beside a reference.
 * @see https://ai.google.dev/api/generate-content#generationconfig
 */
export function schemaProblem(schema: unknown, path: readonly string[] = []): string | null {
  if (typeof schema !== 'object' || schema === null) return null
  const names = Object.keys(schema)
  const isReference = isObject(schema) && typeof schema[REFERENCE] === 'string'
  if (isReference && names.some((name) => !name.startsWith('$'))) {
    return `schema at ${path.join('.')} can only contain properties starting with '$' when $ref is present`
  }
  for (const [name, inner] of Object.entries(schema)) {
    const problem = VALUES.has(name) ? null : schemaProblem(inner, [...path, name])
    if (problem !== null) return problem
  }
  return null
}
