// Defines a contract check: its name, what the contract says, and a function that asks the deployment. Most checks are one call,
// written as a `CheckRow`; `checksOf` makes checks of such rows. Also compares error bodies with the contract. Its error codes are copied, not imported from the service,
// so that an error in the service's table is found.
import * as z from 'zod'
import type { Answer, Call, Deployment } from './deployment.ts'
import { schemaDifferences, memberOf } from './json-answers.ts'
import { heldDifferences } from './read-route-rules.ts'

export type CheckOutcome = {
  readonly got: string
  /** Differences from the contract, one sentence each. Empty if there are none. */
  readonly differences: readonly string[]
}

export type Check = {
  readonly group: string
  readonly name: string
  readonly expected: string
  readonly run: (deployment: Deployment) => Promise<CheckOutcome>
}

/** Returns the checks of a group. Some groups can be listed only after the deployment was asked. */
export type CheckSource = (deployment: Deployment) => readonly Check[] | Promise<readonly Check[]>

const STATUS_OF = {
  invalid_request: 400,
  missing_parameter: 400,
  text_missing: 400,
  text_too_long: 400,
  not_an_example: 400,
  invalid_api_key: 401,
  session_required: 401,
  invalid_credentials: 401,
  unknown_action: 403,
  origin_refused: 403,
  not_found: 404,
  specialty_not_published: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  identifier_found: 422,
  rate_limit_exceeded: 429,
} as const

export type ErrorCode = keyof typeof STATUS_OF

/** A success status, an error's code, or `held` for the held body. */
export type Expected = number | ErrorCode | 'held'

type Lazy<T> = T | ((deployment: Deployment) => T | Promise<T>)

/** Returns further differences in an answer that has the expected status. */
type Examine = (answer: Answer, deployment: Deployment) => readonly string[] | Promise<readonly string[]>

/** A check that consists of one call. */
export type CheckRow = readonly [name: string, expected: Expected, call: Lazy<Call>, examine?: Examine]

export function checksOf(group: string, rows: readonly CheckRow[]): Check[] {
  return rows.map(([name, expected, call, examine]) => ({
    group,
    name,
    expected: isErrorCode(expected) || expected === 'held' ? `${statusOf(expected)} ${expected}` : String(expected),
    run: async (deployment) => {
      const answer = await deployment.send(typeof call === 'function' ? await call(deployment) : call)
      const got = describeAnswer(answer)
      const status = statusOf(expected)
      if (answer.status !== status) return { got, differences: [`status ${answer.status}, not ${status}`] }
      const further = (await examine?.(answer, deployment)) ?? []
      return { got, differences: [...bodyDifferences(expected, answer), ...further] }
    },
  }))
}

function statusOf(expected: Expected): number {
  if (typeof expected === 'number') return expected
  return expected === 'held' ? 409 : STATUS_OF[expected]
}

export function describeAnswer(answer: Answer): string {
  const parts = memberOf(answer.json, 'parts')
  const word =
    memberOf(answer.json, 'error', 'code') ??
    memberOf(answer.json, 'decision') ??
    (Array.isArray(parts) ? parts.join(', ') : null)
  return typeof word === 'string' ? `${answer.status} ${word.slice(0, 40)}` : String(answer.status)
}

function bodyDifferences(expected: Expected, answer: Answer): readonly string[] {
  if (typeof expected === 'number') return []
  return expected === 'held' ? heldDifferences(answer) : errorDifferences(answer, expected)
}

/** Returns a difference if two values are not the same text, number, boolean or null. */
export function valueDifferences(
  what: string,
  got: unknown,
  expected: string | number | boolean | null,
): readonly string[] {
  const shown = got === undefined ? 'absent' : JSON.stringify(got).slice(0, 80)
  return got === expected ? [] : [`${what} is ${shown}, not ${JSON.stringify(expected).slice(0, 80)}`]
}

/** Returns a sentence for each word that is missing in the text. */
export const missingWords = (
  text: string,
  words: readonly string[],
  say: (word: string) => string,
): readonly string[] => words.filter((word) => !text.includes(word)).map(say)

const TYPE_OF_STATUS: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
}

const EnvelopeSchema = z.strictObject({
  error: z.looseObject({
    message: z.string().min(1),
    type: z.string().min(1),
    code: z.string().regex(/^[a-z_]+$/),
    param: z.string().nullable().optional(),
    retry_after: z.int().min(1).optional(),
    request_id: z.string().min(1),
    fields: z.array(z.strictObject({ path: z.string(), rule: z.string().min(1) })).optional(),
  }),
})

export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(STATUS_OF, text)
}

export function errorDifferences(answer: Answer, code: ErrorCode): readonly string[] {
  return [
    ...envelopeDifferences(answer),
    ...valueDifferences('error.code', memberOf(answer.json, 'error', 'code'), code),
  ]
}

/** Compares an error's body with the error format: its members, the type and status of its code, its request id. */
export function envelopeDifferences(answer: Answer): readonly string[] {
  const { data } = EnvelopeSchema.safeParse(answer.json)
  if (data === undefined) return schemaDifferences(EnvelopeSchema, answer.json)
  const { code, type, request_id: requestId } = data.error
  const differences: string[] = []
  if (isErrorCode(code)) {
    const status = STATUS_OF[code]
    const expectedType = TYPE_OF_STATUS[status] ?? 'invalid_request_error'
    if (answer.status !== status) differences.push(`${code} was sent with status ${answer.status}, not ${status}`)
    if (type !== expectedType) differences.push(`error.type of ${code} is ${type}, not ${expectedType}`)
  }
  if (requestId !== answer.headers.get('x-request-id')) differences.push('error.request_id is not the x-request-id')
  return differences
}

/** Returns the error's message, for checks of its wording. */
export function messageOf(answer: Answer): string {
  const message = memberOf(answer.json, 'error', 'message')
  return typeof message === 'string' ? message : ''
}
