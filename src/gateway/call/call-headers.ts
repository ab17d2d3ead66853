// The headers of a call in either wire format (chat completions or responses): the schema and the readers of the request headers,
// and the response headers for adapted parameters and replays.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { readApprovalId } from '../../organisation/approvals/present-approval.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { IDEMPOTENCY_HEADER } from '../../platform/read-request.ts'
import type { ApprovalId } from '../../platform/ids.ts'
import { USE_CASE, USE_CASE_RULE } from '../../policies/rules/rule.ts'
import { DATA_REGIONS, type DataRegion } from '../../platform/data-region.ts'
import type { Model } from '../../providers/model-catalogue.ts'
import { MODEL_HEADER_NAME } from './trace.ts'
import { UNSUPPORTED_ACTIONS, type UnsupportedAction } from '../../policies/settings-table.ts'

export const USE_CASE_HEADER = 'x-aqta-use-case'
export const APPROVAL_HEADER = 'x-aqta-approval'
const DEADLINE_HEADER = 'x-aqta-deadline-ms'

/** A smaller number was most likely meant as seconds. */
const LEAST_DEADLINE_MS = 1000
export const DATA_REGION_HEADER = 'x-aqta-data-region'
const COHORT_HEADER = 'x-aqta-cohort'
const UNSUPPORTED_HEADER = 'x-aqta-unsupported'

/** The response headers that list the parameters which the provider was not sent, and those to which something was added. */
export const DROPPED_HEADER_NAME = 'x-aqta-dropped'
export const ADDED_HEADER_NAME = 'x-aqta-added'

/** How many routes a call was sent by, if it was more than one. */
export const ROUTE_ATTEMPTS_HEADER_NAME = 'x-aqta-route-attempts'

/** Marks an answer that is replayed. */
export const REPLAYED_HEADER_NAME = 'idempotency-replayed'

/** The header that reads of models take too. */
export const DataRegionHeaderSchema = once(() =>
  z.object({
    [DATA_REGION_HEADER]: z.enum(DATA_REGIONS).optional().meta({
      description:
        'Where this request may be routed to: eu, eea_ch (European Economic Area and Switzerland) or any, within what policy and key allow; wider is 400. On GET it changes nothing.',
      example: 'eu',
    }),
  }),
)

export const CallHeadersSchema = once(() =>
  z.object({
    [DEADLINE_HEADER]: z.int().min(LEAST_DEADLINE_MS).optional().meta({
      description:
        'How many milliseconds you wait for the whole answer, from the request’s arrival. Then it is 504, or an error event. The service’s limit (14 minutes by default) is the most.',
      example: 60_000,
    }),
    [USE_CASE_HEADER]: z.string().regex(USE_CASE).optional().meta({
      description:
        'What the request is for, in up to 64 of a-z, 0-9, dot, hyphen and underscore. A policy can require it.',
      example: 'triage-notes',
    }),
    [COHORT_HEADER]: z.string().regex(USE_CASE).optional().meta({
      description:
        'The request’s group: a coded label that the policy declares (bias.cohorts). Never anything about a person.',
      example: 'group-a',
    }),
    ...DataRegionHeaderSchema().shape,
    [IDEMPOTENCY_HEADER]: z
      .string()
      .optional()
      .meta({
        description:
          'Up to 255 characters, new for each request. A repeat within 24 hours does not run: it gets the first answer ' +
          'if idempotent_replays is on, else 409 conflict. A different request is 409 idempotency_conflict.',
      }),
    [UNSUPPORTED_HEADER]: z
      .enum(UNSUPPORTED_ACTIONS)
      .optional()
      .meta({
        description:
          'For sampling parameters (temperature, top_p, frequency_penalty, presence_penalty, seed) that the model does not ' +
          'take, and an output limit above its own. drop: x-aqta-dropped names them, and x-aqta-added extended messages. ' +
          'refuse: 400. If the organisation’s setting unsupported is refuse, drop has no effect.',
      }),
    [APPROVAL_HEADER]: z.string().optional().meta({
      description:
        'The approval_id of this very request, which the call uses up. It has no effect if no approval is needed.',
      example: 'apr_01982f6b-7c50-7a31-8d14-6b2c5e0f9a77',
    }),
  }),
)

const refuseHeader = (
  param: string,
  rule: string,
  message = `The header ${param} has a wrong value. Send ${rule}.`,
): AppError => new AppError('invalid_request', message, { param, fields: [{ path: param, rule }] })

/** Returns the use case that the caller declares, or null. Like the other readers, it throws the error for a wrong value. */
export const readUseCase = (c: AppContext): string | null => readLabel(c, USE_CASE_HEADER)

/** Returns the coded group that the request is counted in, or null. The organisation decides whether it is declared. */
export const readCohort = (c: AppContext): string | null => readLabel(c, COHORT_HEADER)

function readLabel(c: AppContext, header: string): string | null {
  const label = c.req.header(header)
  if (label === undefined || USE_CASE.test(label)) return label ?? null
  throw refuseHeader(header, USE_CASE_RULE)
}

/** Returns the region that the request asks for, or null. SECURITY: an unknown value is an error, because its caller relies on it. */
export function readDataRegion(c: AppContext): DataRegion | null {
  const sent = c.req.header(DATA_REGION_HEADER)
  if (sent === undefined) return null
  const known = DATA_REGIONS.find((region) => region === sent)
  if (known === undefined) throw refuseHeader(DATA_REGION_HEADER, `one of ${DATA_REGIONS.join(', ')}`)
  return known
}

/** Returns the error for a region that is wider than the policy or the key allows. Ignoring it would mislead the caller. */
export const dataRegionWider = (): AppError =>
  refuseHeader(
    DATA_REGION_HEADER,
    'a region within that of the policy and the key',
    `Your policy or your key allows only a narrower data region than this. Send a narrower ${DATA_REGION_HEADER}, or leave it out.`,
  )

/** Returns the error for an undeclared label. A label can say something about a person, so only declared ones are accepted. */
export const cohortNotDeclared = (): AppError =>
  refuseHeader(
    COHORT_HEADER,
    'a label that the organisation has declared',
    `Your organisation has not declared this cohort. Leave ${COHORT_HEADER} out, or declare the label in its policy (bias.cohorts).`,
  )

/** Returns whether parameters that the model does not take are dropped, or the request is refused. */
export function readUnsupported(c: AppContext): UnsupportedAction {
  const sent = c.req.header(UNSUPPORTED_HEADER)
  if (sent === undefined) return 'drop'
  const known = UNSUPPORTED_ACTIONS.find((word) => word === sent.trim().toLowerCase())
  if (known === undefined) throw refuseHeader(UNSUPPORTED_HEADER, `one of ${UNSUPPORTED_ACTIONS.join(', ')}`)
  return known
}

export const MODEL_HEADER = {
  [MODEL_HEADER_NAME]: {
    description:
      'The model’s id, if the request had another name for it: dated, or with its owner (`openai/gpt-4.1-mini`).',
    required: false,
    schema: { type: 'string' as const, examples: ['gpt-4.1-mini'] },
  },
}

type Adapted = { readonly how: 'dropped' | 'added'; readonly param: string; readonly endpoint?: string }

/** Returns no header if the request is sent as it came. @param route the endpoint that it is sent to */
export function adaptedHeaders(adapted: readonly Adapted[], route: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { how, param, endpoint = route } of adapted) {
    if (endpoint !== route) continue
    const name = how === 'dropped' ? DROPPED_HEADER_NAME : ADDED_HEADER_NAME
    headers[name] = headers[name] === undefined ? param : `${headers[name]}, ${param}`
  }
  return headers
}

export const LIFECYCLE_HEADERS = {
  deprecation: {
    description:
      'There if the model’s provider will end it: when that was announced, as `@` and Unix seconds (RFC 9745).',
    required: false,
    schema: { type: 'string' as const, examples: ['@1791936000'] },
  },
  sunset: {
    description: 'There if the model’s provider will end it: when, as an HTTP date (RFC 8594).',
    required: false,
    schema: { type: 'string' as const, examples: ['Thu, 14 Jan 2027 00:00:00 GMT'] },
  },
}

/**
 * Returns the headers that announce the end of a model; none if no end is set.
 * @see https://www.rfc-editor.org/rfc/rfc9745 for `deprecation`, https://www.rfc-editor.org/rfc/rfc8594 for `sunset`
 */
export function lifecycleHeaders({
  lifecycle: { deprecatedOn, retiresOn },
}: Pick<Model, 'lifecycle'>): Record<string, string> {
  if (deprecatedOn === null || retiresOn === null) return {}
  return { deprecation: `@${Date.parse(deprecatedOn) / 1000}`, sunset: new Date(retiresOn).toUTCString() }
}

export function readApproval(c: AppContext): ApprovalId | null {
  const named = c.req.header(APPROVAL_HEADER)
  if (named === undefined) return null
  const id = readApprovalId(named)
  if (id !== null) return id
  const message = `The header ${APPROVAL_HEADER} has a wrong value. Send an approval_id, such as apr_….`
  throw refuseHeader(APPROVAL_HEADER, 'an approval_id', message)
}

/** Returns the Unix milliseconds at which the call must end; null if the caller sets no deadline. */
export function readDeadline(c: AppContext, arrivedAt: number): number | null {
  const declared = c.req.header(DEADLINE_HEADER)
  if (declared === undefined) return null
  const ms = /^\d{1,12}$/.test(declared) ? Number(declared) : 0
  if (ms >= LEAST_DEADLINE_MS) return arrivedAt + ms
  throw refuseHeader(DEADLINE_HEADER, `whole milliseconds, ${LEAST_DEADLINE_MS} or more`)
}
