// Checks a request by its Zod schema. The error says which member is wrong and what to send instead, and never repeats a value.
// If what is wrong first is a required member that is absent, the error is `missing_parameter`.
import * as z from 'zod'
import { AppError, isPlainName, type InvalidField } from './errors.ts'

type Where = 'body' | 'query'

/** The maximum of faults in an error. A body can have thousands; the first few show what is wrong with it. */
const MOST_FIELDS = 20
const MOST_NAMES = 5

const UNKNOWN_MEMBER = 'unknown member'

/** Returns `value` in the form that `schema` declares, or the error that says what is wrong. */
export function checkBySchema<T extends z.ZodType>(schema: T, value: unknown, where: Where): z.output<T> | AppError {
  const parsed = schema.safeParse(value, { error: explain })
  return parsed.success ? parsed.data : invalidRequest(parsed.error.issues, where)
}

const invalidRequest = (issues: readonly z.core.$ZodIssue[], where: Where): AppError =>
  faultyFields(describeFirst(issues, []).slice(0, MOST_FIELDS), where)

/** Returns the error for a required member that no schema checks. @param expected such as `a string` */
export const absentMember = (path: string, expected: string, where: Where): AppError =>
  faultyFields([{ path, rule: `${ABSENT}expected ${expected}` }], where)

/**
 * Returns the error for a member named `__proto__` that the schema has dropped, as Zod does in records; null if there is none.
 * @param parsed what the schema made of `sent`
 */
export function refuseDropped(sent: unknown, parsed: unknown, where: Where): AppError | null {
  const path = findDropped(sent, parsed)
  return path === null ? null : faultyFields([{ path: formatPath(path), rule: 'no member can have this name' }], where)
}

function findDropped(sent: unknown, parsed: unknown): PropertyKey[] | null {
  if (typeof sent !== 'object' || sent === null || sent === parsed) return null
  const kept = new Map<string, unknown>(typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [])
  for (const [name, value] of Object.entries(sent)) {
    const inside = name === PROTOTYPE && !kept.has(name) ? [] : findDropped(value, kept.get(name))
    if (inside !== null) return [Array.isArray(sent) ? Number(name) : name, ...inside]
  }
  return null
}

const PROTOTYPE = '__proto__'

function faultyFields(fields: InvalidField[], where: Where): AppError {
  const { path = '', rule = '' } = fields[0] ?? {}
  const code = rule.startsWith(ABSENT) ? 'missing_parameter' : 'invalid_request'
  return new AppError(code, summarise(fields, where), { fields, ...(path === '' ? {} : { param: path }) })
}

/** Begins the rule of a member that is absent, also where a schema has its own words. */
const ABSENT = 'missing; '

function summarise([first, ...others]: readonly InvalidField[], where: Where): string {
  const { path = '', rule = '' } = first ?? {}
  const more = others.length === 0 ? '' : ` ${others.length} more in error.fields.`
  if (!rule.startsWith(UNKNOWN_MEMBER)) return `${path === '' ? `The request's ${where}` : path}: ${rule}.${more}`
  const name = path === '' ? 'its name is not repeated here' : path
  return `The request's ${where} has an ${rule.replace(UNKNOWN_MEMBER, `${UNKNOWN_MEMBER} (${name})`)}.${more}`
}

/** Returns the rule that a value breaks, if its schema has no words for it. Zod knows the input only here. */
function explain(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return expect(issue.input, nameOfType(issue.expected))
    case 'invalid_value':
      return expect(issue.input, nameOfValues(issue.values))
    case 'invalid_union':
      return expect(discriminated(issue), nameOfUnion(issue))
    case 'unrecognized_keys':
      return explainUnknown(issue)
    case 'too_big':
      return `at most ${amount(issue.maximum, issue.origin)}`
    case 'too_small':
      return `at least ${amount(issue.minimum, issue.origin)}`
    case 'invalid_format':
      return issue.format === 'regex' ? OTHER_FORM : `expected the format ${issue.format}`
    case 'invalid_key':
    case 'invalid_element':
    case 'not_multiple_of':
    case 'custom':
      return OTHER_FORM
  }
}

const OTHER_FORM = 'of another form than declared in /v1/openapi.json'

const expect = (input: unknown, what: string): string => `${input === undefined ? ABSENT : ''}expected ${what}`

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const nameOfType = (type: string): string => TYPE_NAMES[type] ?? type

/** Omits undefined and null, because nobody has to send these. */
function nameOfValues(values: readonly unknown[]): string {
  const names = values.filter((value) => value !== undefined && value !== null).map(String)
  return names.length === 1 ? (names[0] ?? '') : `one of ${names.join(', ')}`
}

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
}

function amount(count: number | bigint, origin: string): string {
  const [one, many] = UNITS[origin] ?? ['', '']
  return `${count} ${count === 1 ? one : many}`.trim()
}

type RawUnion = z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>

/** Returns the value that decides which form of a union is meant, if one member does. */
function discriminated({ input, discriminator }: RawUnion): unknown {
  if (typeof discriminator !== 'string' || typeof input !== 'object' || input === null) return input
  return Object.entries(input).find(([name]) => name === discriminator)?.[1]
}

function nameOfUnion({ errors, options }: RawUnion): string {
  if (Array.isArray(options)) return nameOfValues(options)
  const names = errors.flatMap(([first]) => {
    if (first?.code === 'invalid_type') return first.expected === 'null' ? [] : [nameOfType(first.expected)]
    if (first?.code === 'invalid_value') return [nameOfValues(first.values)]
    return []
  })
  return [...new Set(names)].join(' or ')
}

function explainUnknown({ inst }: z.core.$ZodRawIssue): string {
  if (!(inst instanceof z.ZodObject)) return UNKNOWN_MEMBER
  const names = Object.entries(inst.shape).flatMap(([name, member]) => (isNamedInErrors(member) ? [name] : []))
  return names.length === 0 ? UNKNOWN_MEMBER : `${UNKNOWN_MEMBER}; those that exist: ${names.join(', ')}`
}

/** Returns false for members that are accepted but have no effect. Errors do not list them. */
function isNamedInErrors(member: unknown): boolean {
  const inner: unknown = member instanceof z.ZodOptional ? member.unwrap() : member
  return !(inner instanceof z.ZodUnknown || inner instanceof z.ZodNull)
}

/** Describes no more issues than the error shows, because a body can have half a million. */
const describeFirst = (issues: readonly z.core.$ZodIssue[], place: readonly PropertyKey[]): InvalidField[] =>
  issues.slice(0, MOST_FIELDS).flatMap((issue) => describeIssue(issue, place))

function describeIssue(issue: z.core.$ZodIssue, parent: readonly PropertyKey[]): InvalidField[] {
  const place = [...parent, ...issue.path]
  if (issue.code === 'unrecognized_keys') return describeUnknown(place, issue.keys, issue.message)
  if (issue.code === 'invalid_union') return describeUnion(issue, place)
  return [{ path: formatPath(place), rule: issue.message }]
}

/** Describes unknown members. A name is the caller's own text, so it is repeated only if it is plainly a name. */
function describeUnknown(place: readonly PropertyKey[], names: readonly string[], rule: string): InvalidField[] {
  const paths = names.slice(0, MOST_NAMES).map((name) => formatPath([...place, name]))
  return [...new Set(paths)].map((path) => ({ path, rule }))
}

/** Describes the issues of the union's form that the caller meant. A form is meant if only its inner values are wrong. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, place: readonly PropertyKey[]): InvalidField[] {
  const branches = issue.errors.filter((branch) => !branch.every(isNullExpected))
  const meant =
    branches.length === 1
      ? branches[0]
      : (branches.find((branch) => branch.every(isWithin)) ?? branches.find((branch) => !branch.some(isOtherForm)))
  return meant === undefined ? [{ path: formatPath(place), rule: issue.message }] : describeFirst(meant, place)
}

const isNullExpected = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'invalid_type' && issue.expected === 'null' && issue.path.length === 0

const isWithin = ({ code, path }: z.core.$ZodIssue): boolean => code === 'unrecognized_keys' || path.length > 0

const isOtherForm = ({ code, path }: z.core.$ZodIssue): boolean =>
  path.length === 0 && (code === 'invalid_type' || code === 'invalid_value')

/** Writes a path as a program would, `messages[0].content`. It ends before a name that is the caller's own text. */
function formatPath(place: readonly PropertyKey[]): string {
  const end = place.findIndex((step) => typeof step !== 'number' && !isPlainName(String(step)))
  return place
    .slice(0, end === -1 ? place.length : end)
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
}
