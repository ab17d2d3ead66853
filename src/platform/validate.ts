// Zod's findings as the error of our envelope: the path and the rule, never the value.
import { z } from '@hono/zod-openapi'
import { AppError, type InvalidField } from './errors.ts'
import { isPlainName } from './plain-name.ts'

type Where = 'body' | 'query'

/** One body can hold thousands of faults; the first few tell what is wrong with it. */
const MOST_FIELDS = 20
const MOST_NAMES = 5

const UNKNOWN_MEMBER = 'unknown member'

/** `value` in the form that `schema` declares, or the error that says what in it is not. */
export function checkForm<T extends z.ZodType>(schema: T, value: unknown, where: Where): z.output<T> | AppError {
  const parsed = schema.safeParse(value, { error: listMembers })
  return parsed.success ? parsed.data : invalidRequest(parsed.error.issues, where)
}

export function invalidRequest(issues: readonly z.core.$ZodIssue[], where: Where): AppError {
  const fields = issues.flatMap((issue) => describeIssue(issue)).slice(0, MOST_FIELDS)
  const path = fields[0]?.path ?? ''
  return new AppError('invalid_request', summarise(fields, where), { fields, ...(path === '' ? {} : { param: path }) })
}

function summarise([first]: readonly InvalidField[], where: Where): string {
  if (first === undefined || !first.rule.startsWith(UNKNOWN_MEMBER)) {
    return `The request's ${where} does not have the declared form. See error.fields, and /v1/openapi.json for the form.`
  }
  const name = first.path === '' ? 'its name is not repeated here' : first.path
  return `The request's ${where} has an ${first.rule.replace(UNKNOWN_MEMBER, `${UNKNOWN_MEMBER} (${name})`)}.`
}

/** The rule for members that a form does not have: only here is it known which it has. */
function listMembers(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'unrecognized_keys') return undefined
  const { inst } = issue
  if (!(inst instanceof z.ZodObject)) return undefined
  return `${UNKNOWN_MEMBER}; those that exist: ${Object.keys(inst.shape).join(', ')}`
}

/** A name is the caller's own text: it is handed back only where it is plainly a name. */
function describeUnknown(place: readonly PropertyKey[], names: readonly string[], message: string): InvalidField[] {
  const rule = message.startsWith(UNKNOWN_MEMBER) ? message : UNKNOWN_MEMBER
  const paths = names.slice(0, MOST_NAMES).map((name) => formatPath([...place, name]))
  return [...new Set(paths)].map((path) => ({ path, rule }))
}

function describeIssue(issue: z.core.$ZodIssue, parent: readonly PropertyKey[] = []): InvalidField[] {
  const place = [...parent, ...issue.path]
  const path = formatPath(place)
  switch (issue.code) {
    case 'invalid_type':
      return [{ path, rule: `expected ${issue.expected}` }]
    case 'unrecognized_keys':
      return describeUnknown(place, issue.keys, issue.message)
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
  const [only, ...others] = issue.errors.filter((branch) => !isNullExpected(branch))
  if (only !== undefined && others.length === 0) return only.flatMap((found) => describeIssue(found, place))
  const inner = issue.errors.find((branch) =>
    branch.every(({ code, path }) => code === 'unrecognized_keys' || path.length > 0),
  )
  if (inner !== undefined) return inner.flatMap((found) => describeIssue(found, place))
  const expected = issue.errors.flat().map((found) => (found.code === 'invalid_type' ? found.expected : found.code))
  const known = 'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : []
  const rule = known.length > 0 ? `one of ${known.join(', ')}` : `expected ${[...new Set(expected)].join(' or ')}`
  return [{ path: formatPath(place), rule }]
}

const isNullExpected = (branch: readonly z.core.$ZodIssue[]): boolean =>
  branch.every((found) => found.code === 'invalid_type' && found.expected === 'null')

/** As it would be written in a program: `messages[0].content`. It ends before a name that is the caller's own text. */
function formatPath(place: readonly PropertyKey[]): string {
  const end = place.findIndex((step) => typeof step !== 'number' && !isPlainName(String(step)))
  return place
    .slice(0, end === -1 ? place.length : end)
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
}
