// The trace of a chat call: its ids, its headers, and the `aqta` member of every answer.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { RECORD_STATUSES, recordStatusOf } from '../../evidence/records/call-endings.ts'
import { AttestationSchema } from '../../evidence/records/attestation.schema.ts'
import type { AttestationRecord, UnsignedRecord } from '../../evidence/records/attestation-record.ts'
import { orNull } from '../../platform/names.schema.ts'
import { toEur } from '../../platform/money.ts'
import { DATA_REGIONS, type DataRegion } from '../../platform/data-region.ts'
import { ENDPOINT_IDS, PROVIDER_IDS } from '../../providers/provider-registry.ts'
import { isAnotherModel } from '../../providers/served-model.ts'

type TraceFacts = {
  attestation: AttestationRecord
  provider: Aqta['provider']
  model?: string | undefined
  route?: Aqta['route']
  dataRegion?: DataRegion
  outside?: Aqta['outside']
  costMicroeur?: number
  estimated?: boolean
  cached?: boolean
  /** How many values were taken out of the answer. */
  answerRedacted?: number
  /** True if the call passed although it belongs to a loop, which its key for evaluation only reports. */
  isLoop?: boolean
  /** The model that the provider named, and the one that it was asked for. */
  served?: { named: string | null; wireModel: string }
}

/** Builds the `aqta` member. No other code does. */
export const buildAqta = ({
  attestation,
  provider,
  model,
  route = null,
  dataRegion,
  outside,
  costMicroeur = 0,
  estimated = false,
  cached = false,
  isLoop = false,
  answerRedacted = 0,
  served,
}: TraceFacts): Aqta => ({
  trace_id: attestation.trace_id,
  cost_eur: toEur(costMicroeur),
  ...(estimated ? { cost_estimated: true } : {}),
  provider,
  ...(model !== undefined && { model }),
  route,
  ...(dataRegion && { data_region: dataRegion }),
  ...(outside && { outside }),
  status: recordStatusOf(attestation.outcome),
  cached,
  loop_detected: isLoop || attestation.outcome === 'SUPPRESSED',
  ...(answerRedacted > 0 && { answer_redacted: answerRedacted }),
  ...(served && presentServed(served)),
  attestation,
})

function presentServed({ named, wireModel }: NonNullable<TraceFacts['served']>): ServedModel {
  if (named === null) return {}
  return { served_model: named, ...(isAnotherModel(wireModel, named) && { model_differs: true }) }
}

/** Returns `aqta` with the model of a stored answer. @param stored the answer's own `aqta` */
export function withServedModel({ attestation, ...facts }: Aqta, stored: unknown): Aqta {
  return { ...facts, ...ServedModelSchema().parse(stored), attestation }
}

export const traceHeaders = (record: UnsignedRecord): Record<string, string> => ({
  'x-aqta-trace-id': record.trace_id,
  'x-aqta-attestation-id': record.attestation_id,
  'x-aqta-status': recordStatusOf(record.outcome),
})

/** The id of the model, if the caller used another name for it. */
export const MODEL_HEADER_NAME = 'x-aqta-model'

/** Returns no header if the caller used the model's id. */
export const modelHeader = (name: string, id: string): Record<string, string> =>
  name === id ? {} : { [MODEL_HEADER_NAME]: id }

const servedModel = once(() => ({
  served_model: z.string().optional().meta({
    description: 'The model that answered, as its provider names it. There once the provider has named one.',
    example: 'gpt-4.1-mini-2025-04-14',
  }),
  model_differs: z.literal(true).optional().meta({
    description: 'There when `served_model` is neither the model asked for nor a dated form of it.',
  }),
}))

const ServedModelSchema = once(() => z.object(servedModel()))

type ServedModel = Infer<typeof ServedModelSchema>

const callFacts = once(() => ({
  trace_id: z.string().regex(/^tr_[0-9a-f]{32}$/),
  cost_eur: z.number().nonnegative().meta({ example: 0.000123 }),
  cost_estimated: z.literal(true).optional().meta({
    description:
      'There when the provider did not report all of its usage, so that some tokens and the cost are an estimate.',
  }),
  provider: orNull(z.enum(PROVIDER_IDS)).meta({ description: 'Null where none was reached.' }),
  model: z
    .string()
    .optional()
    .meta({ description: 'There when a further model that you listed was asked last: which.' }),
  route: orNull(z.enum(ENDPOINT_IDS)).meta({
    description: 'The endpoint that the call was sent to last. Null where none was reached.',
  }),
  data_region: z.enum(DATA_REGIONS).optional().meta({
    description: 'The region that the call had to be routed within; there once it has passed. any: no limit.',
  }),
  outside: z
    .array(z.enum(['schema']))
    .optional()
    .meta({
      description:
        'There when a part of the request is not covered by the provider’s promise about the region: its JSON schema.',
    }),
  status: z.enum(RECORD_STATUSES),
  cached: z.boolean().meta({ description: 'Whether the organisation’s cache gave the answer: no provider was asked.' }),
  loop_detected: z.boolean().meta({
    description: 'Whether the call belongs to a loop. It is then suppressed, unless its key is for evaluation.',
  }),
  answer_redacted: z.int().positive().optional().meta({
    description: 'There when the policy took values out of the answer (`pii_scan.answers`): how many.',
  }),
  ...servedModel(),
}))

export const AqtaSchema = once(() =>
  z.strictObject({ ...callFacts(), attestation: AttestationSchema() }).meta({ id: 'Aqta' }),
)

export type Aqta = Infer<typeof AqtaSchema>

/** `endedAt`: when the provider's answer was whole, in Unix milliseconds. */
export type AnswerEnd = { readonly aqta: Aqta; readonly endedAt: number }

export const ErrorAqtaSchema = once(() =>
  z.strictObject({
    ...callFacts(),
    attestation_id: z
      .uuid({ version: 'v4' })
      .meta({ description: 'Of the signed record of the decision: GET /v1/attestations/{id} returns it.' }),
  }),
)

export type ErrorAqta = Infer<typeof ErrorAqtaSchema>

/** Returns `aqta` for an error. Clients search an error for words such as rate_limit, so it has only the id of the record. */
export const toErrorAqta = ({ attestation, ...facts }: Aqta): ErrorAqta => ({
  ...facts,
  attestation_id: attestation.attestation_id,
})
