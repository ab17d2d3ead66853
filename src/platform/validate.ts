// Zod's findings as the error of our envelope: the path and the rule, never the value.
import type { z } from '@hono/zod-openapi'
import { AppError, type InvalidField } from './errors.ts'

export function invalidRequest(issues: readonly z.core.$ZodIssue[], where: 'body' | 'query'): AppError {
  const fields = issues.flatMap((issue) => describeIssue(issue))
  const first = fields[0]?.path
  return new AppError(
    'invalid_request',
    `The request's ${where} does not have the declared form. See error.fields, and /v1/openapi.json for the form.`,
    { fields, ...(first === undefined || first === '' ? {} : { param: first }) },
  )
}

// Names of unknown members are the caller's own text, so they are counted and not repeated.
function describeIssue(issue: z.core.$ZodIssue, parent: readonly PropertyKey[] = []): InvalidField[] {
  const place = [...parent, ...issue.path]
  const path = formatPath(place)
  switch (issue.code) {
    case 'invalid_type':
      return [{ path, rule: `expected ${issue.expected}` }]
    case 'unrecognized_keys':
      return [{ path, rule: `${issue.keys.length} member(s) not in the declared form` }]
    case 'too_big':
      return [{ path, rule: `at most ${issue.maximum}` }]
    case 'too_small':
      return [{ path, rule: `at least ${issue.minimum}` }]
    case 'invalid_value':
      return [{ path, rule: `one of ${issue.values.map(String).join(', ')}` }]
    case 'invalid_format':
      return [{ path, rule: `expected format ${issue.format}` }]
    case 'custom':
      return [{ path, rule: issue.message }]
    case 'invalid_union':
      return describeUnion(issue, place)
    case 'not_multiple_of':
    case 'invalid_key':
    case 'invalid_element':
      return [{ path, rule: issue.code }]
  }
}

/** The findings of the form that fits best: of a string or a list, the list, if it is one with something wrong in it. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, place: readonly PropertyKey[]): InvalidField[] {
  const inner = issue.errors.find((branch) => branch.every(({ path }) => path.length > 0))
  if (inner !== undefined) return inner.flatMap((found) => describeIssue(found, place))
  const expected = issue.errors.flat().map((found) => (found.code === 'invalid_type' ? found.expected : found.code))
  const known = 'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : []
  const rule = known.length > 0 ? `one of ${known.join(', ')}` : `expected ${[...new Set(expected)].join(' or ')}`
  return [{ path: formatPath(place), rule }]
}

/** As it would be written in a program: `messages[0].content`. */
const formatPath = (place: readonly PropertyKey[]): string =>
  place
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
