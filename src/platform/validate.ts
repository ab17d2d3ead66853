// Zod's findings as the error of our envelope: the path and the rule, never the value.
import type { z } from '@hono/zod-openapi'
import { AppError, type InvalidField } from './errors.ts'

export function invalidRequest(issues: readonly z.core.$ZodIssue[], where: 'body' | 'query'): AppError {
  const fields = issues.flatMap(describeIssue)
  const first = fields[0]?.path
  return new AppError(
    'invalid_request',
    `The request's ${where} does not have the declared form. See error.fields, and /v1/openapi.json for the form.`,
    { fields, ...(first === undefined || first === '' ? {} : { param: first }) },
  )
}

// Names of unknown members are the caller's own text, so they are counted and not repeated.
function describeIssue(issue: z.core.$ZodIssue): InvalidField[] {
  const path = issue.path.map(String).join('.')
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
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
      return [{ path, rule: issue.code }]
  }
}
