// Describes an operation for the OpenAPI document: its parameters, its body, and every answer that it can have.
import type { RouteConfig } from '@hono/zod-openapi'
import { PROOF_ERROR_BODIES } from '../../src/accounts/access/access.schema.ts'
import { errorRow, type ErrorCode } from '../../src/platform/errors.ts'
import type { Answer, Declaration, JsonAnswer, OperationDescription } from '../../src/platform/operations.ts'
import { ErrorSchema, RATE_HEADERS, RATE_HEADERS_IF_CHECKED } from '../../src/platform/responses.ts'
import * as z from 'zod'

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const

export function describeOperation(declaration: Declaration): RouteConfig {
  const { audience, shared, operation } = declaration
  const { route, body, file, query, answers } = operation
  const path = route.slice(route.indexOf('/'))
  const params = { ...textParametersOf(path), ...operation.params?.() }
  const headers = { ...audience.headers?.().shape, ...operation.headers?.().shape }
  const answered = Object.entries(answers).map(
    ([status, answer]) => [status, responseOf(answer, audience.answerHeaders)] as const,
  )
  return {
    ...shared,
    ...descriptionOf(operation),
    method: methodOf(route),
    path,
    request: {
      ...(Object.keys(headers).length > 0 && { headers: z.object(headers) }),
      ...(Object.keys(params).length > 0 && { params: z.object(params) }),
      ...(query !== undefined && { query: query() }),
      ...(file !== undefined && {
        body: { required: true, content: { [file.type]: { schema: z.string().meta({ format: 'binary' }) } } },
      }),
      ...(body !== undefined && { body: { required: true, content: { 'application/json': { schema: body() } } } }),
    },
    responses: {
      ...Object.fromEntries(answered),
      ...errorResponses(
        codesOf(declaration),
        { ...PROOF_ERROR_BODIES, ...operation.errorBodies },
        answers,
        operation.alsoAs,
      ),
    },
  }
}

const DESCRIPTION_MEMBERS: ReadonlySet<string> = new Set(['tags', 'security', 'operationId', 'summary', 'description'])

const descriptionOf = (operation: OperationDescription): OperationDescription =>
  Object.fromEntries(Object.entries(operation).filter(([name]) => DESCRIPTION_MEMBERS.has(name)))

/** Declares each parameter of a path as a text. */
const textParametersOf = (path: string): z.ZodRawShape =>
  Object.fromEntries(Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => [name, z.string()]))

function methodOf(route: string): RouteConfig['method'] {
  const [, method] = Object.entries(METHODS).find(([name]) => route.startsWith(`${name} `)) ?? []
  if (method === undefined) throw new TypeError(`${route} names no method`)
  return method
}

function responseOf(answer: JsonAnswer | Answer | (() => Answer), headers: Answer['headers']): Answer {
  if (typeof answer === 'function') return answer()
  if (!isJson(answer)) return answer
  const [schema, description] = answer
  return { description, content: { 'application/json': { schema: schema() } }, ...(headers && { headers }) }
}

const isJson = (answer: Declaration['operation']['answers'][number]): answer is JsonAnswer => Array.isArray(answer)

/** Returns the error codes of an operation. The document lists codes of one status in the returned order. */
function codesOf({ audience, codes, operation: { route, body, file, query, errors = [] } }: Declaration): ErrorCode[] {
  const ofRoute = [
    ...codes,
    ...([body, query].some(requiresMember) ? (['missing_parameter'] as const) : []),
    ...(route.startsWith('GET ') ? [] : audience.changeCodes),
    ...(body === undefined && file === undefined ? [] : (['payload_too_large', 'unsupported_media_type'] as const)),
  ]
  return [...new Set(ofRoute.filter((code) => !errors.includes(code))), ...errors]
}

/** Returns true if a request that fits the schema has members at any depth that it cannot leave out. */
const requiresMember = (schema: (() => z.ZodType) | undefined): boolean =>
  schema !== undefined &&
  /"required":\[/.test(
    JSON.stringify(z.toJSONSchema(schema(), { io: 'input', unrepresentable: 'any', metadata: z.registry() })),
  )

type Responses = Record<
  number,
  {
    description: string
    'x-error-codes': readonly ErrorCode[]
    content: { 'application/json': { schema: z.ZodType } }
    headers?: Record<string, object>
  }
>

const retryAfter = (required: boolean) => ({
  'retry-after': {
    description: 'Seconds to wait, if waiting helps.',
    required,
    schema: { type: 'integer', minimum: 1 },
  },
})

/** The statuses with a retry-after header: always, or only if the delay is known. */
const RETRY_HEADERS: Readonly<Record<number, object>> = {
  402: retryAfter(true),
  404: retryAfter(false),
  429: retryAfter(true),
  502: retryAfter(false),
  503: retryAfter(false),
}

/** Rate headers by status, for statuses that can come before the key is known. The headers may then be missing. */
const RATE_HEADERS_OF: Readonly<Record<number, object>> = {
  401: {},
  500: RATE_HEADERS_IF_CHECKED,
  503: RATE_HEADERS_IF_CHECKED,
}

/**
 * Declares the `responses` of a route for these codes, grouped by status.
 * @param bodies replaces the plain envelope of a code; it is declared for the whole status
 * @param answers the declared answers, of which one may have the status of an error
 */
function errorResponses(
  codes: readonly ErrorCode[],
  bodies: Partial<Record<ErrorCode, () => z.ZodType>> = {},
  answers: Declaration['operation']['answers'] = {},
  alsoAs: NonNullable<Declaration['operation']['alsoAs']> = {},
): Responses {
  const isKeyed = codes.some((code) => code === 'invalid_api_key')
  // A route that takes a session too may not have checked any key's limits.
  const ofKey = codes.some((code) => code === 'session_required') ? RATE_HEADERS_IF_CHECKED : RATE_HEADERS
  const responses: Responses = {}
  const isAnswered = (status: number, code: ErrorCode): boolean =>
    errorRow(code).status === status || (alsoAs[status] ?? []).includes(code)
  for (const status of [...codes.map((code) => errorRow(code).status), ...Object.keys(alsoAs).map(Number)]) {
    const sameStatus = codes.filter((other) => isAnswered(status, other))
    const schema = sameStatus.map((other) => bodies[other]).find((body) => body !== undefined) ?? ErrorSchema
    const answer = answers[status]
    const [other, description] = answer !== undefined && isJson(answer) ? answer : []
    const headers = { ...(isKeyed && (RATE_HEADERS_OF[status] ?? ofKey)), ...RETRY_HEADERS[status] }
    responses[status] = {
      description: [description, sameStatus.join(', ')].filter((part) => part !== undefined).join(' Or: '),
      'x-error-codes': sameStatus,
      content: { 'application/json': { schema: other === undefined ? schema() : z.union([other(), schema()]) } },
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
    }
  }
  return responses
}
