// GET /v1/attestations/{id}, with its service and the bundle's schema: returns the signed record of a decision, alone or in a
// bundle with its proofs. A caller whose stream was cut reads its record here. Signing the logged record again gives the same
// bytes.
import * as z from 'zod'
import { once, type Infer } from '../platform/once.ts'
import {
  ANCHOR_DESCRIPTION,
  AnchorSchema,
  LogProofSchema,
  NOT_PUBLISHED_YET,
  PublicLogProofSchema,
  coverageSchema,
  settlementSchema,
} from '../evidence/bundles/log-proofs.schema.ts'
import type { ProvenAnchor } from '../evidence/bundles/anchor.ts'
import { EVIDENCE_FORMAT } from '../evidence/bundles/logged-record.ts'
import { type AttestationKeys, type Signer, noSigningKey } from '../evidence/records/configured-keys.ts'
import { AttestationSchema, historicKeys } from '../evidence/records/attestation.schema.ts'
import { toPublishedKey } from '../evidence/records/key-history.ts'
import { type AttestationRecord, type UnsignedRecord, signRecord } from '../evidence/records/attestation-record.ts'
import { readBearerKey } from '../keys/bearer-key.ts'
import type { ParsedKey } from '../keys/key-format.ts'
import type { ChatGate } from '../organisation/admit/chat-gate.ts'
import type { LogAnswer } from '../organisation/admit/check-call.ts'
import { refusalError } from '../organisation/refusal-errors.ts'
import type { Evidence, EvidenceAnswer } from '../organisation/journal/log-reader.ts'
import type { Clock } from '../platform/time.ts'
import type { Pepper } from '../platform/config.ts'
import { readJsonObject } from '../platform/json.ts'
import type { AppContext } from '../platform/context.ts'
import { AppError } from '../platform/errors.ts'
import { formatUuid } from '../platform/ids.ts'
import { orNull } from '../platform/names.schema.ts'
import { selfAdmittingOperations } from '../platform/operations.ts'
import type { Api } from '../platform/router.ts'
import { parseAttestationId } from '../public-log/public-log-reader.ts'
import { presentLogProofs, presentEntry, presentSettlement, treeOf } from '../public-log/present-proofs.ts'
import type { PublicLogService } from '../public-log/public-log.service.ts'
import type { RequireKey } from '../organisation/admit/require-key.ts'

export function evidenceRoutes(service: EvidenceService, requireKey: RequireKey): Api {
  const { api, openapi } = selfAdmittingOperations(requireKey)
  openapi(
    {
      route: 'GET /v1/attestations/{id}',
      operationId: 'readAttestation',
      tags: ['Attestation'],
      summary: 'Get a signed record',
      description:
        'Returns the signed record of a decision about a call again. By its attestation_id or its trace_id, which stand on every answer as headers: also of a stream that was cut. Any ' +
        'gateway key of the same organisation may ask. With `bundle=true` the record comes with its settlement, its proofs in ' +
        'both logs, their signed heads and the history of keys: one file, which `countersign-verify` checks without this service.',
      security: [{ gatewayKey: [] }],
      params: () => ({ id: z.string().meta({ description: 'An attestation_id or a trace_id.' }) }),
      query: () => z.object({ bundle: z.enum(['true', 'false']).optional() }),
      answers: {
        200: [() => z.union([AttestationSchema(), EvidenceBundleSchema()]), 'The record, signed again; or the bundle.'],
      },
      errors: ['not_found'],
    },
    async ({ c }) => {
      const evidence = await service.readAttestation(c, c.req.param('id') ?? '')
      c.header('cache-control', 'no-store')
      return c.json(evidence)
    },
  )
  return api
}

type Dependencies = {
  gate: ChatGate
  peppers: readonly Pepper[]
  keys: AttestationKeys | null
  signer: Signer | null
  publicLog: Pick<PublicLogService, 'provePublicEvidence'>
  clock: Clock
}

type EvidenceService = ReturnType<typeof createEvidenceService>

export function createEvidenceService({ gate, peppers, keys, signer, publicLog, clock }: Dependencies) {
  /** @param isBundle whether the anchor of the log is needed too */
  async function gather(
    c: AppContext,
    key: ParsedKey,
    recordOrTraceId: string,
    isBundle: boolean,
  ): Promise<GatheredEvidence> {
    const attestationId = readAttestationId(recordOrTraceId) ?? ''
    const reply = await gate.readLog(c, key, async (object, caller): Promise<LogAnswer<GatheredEvidence>> => {
      const answer: LogAnswer<EvidenceAnswer> = await object.log.gatherEvidence(caller, attestationId)
      if (answer.outcome !== 'admitted') return answer
      const evidence = answer.answer
      const anchor: ProvenAnchor | null =
        isBundle && evidence.outcome === 'found' ? await object.log.proveAnchor(treeOf(evidence.inclusion)) : null
      return { ...answer, answer: { evidence, anchor } }
    })
    if (reply.outcome !== 'admitted') throw refusalError(reply)
    return reply.answer
  }

  async function signAgain(record: UnsignedRecord): Promise<AttestationRecord> {
    if (signer === null) throw noSigningKey()
    const signingKey = await signer.keyNamed(record.public_key)
    if (signingKey === null) throw new AppError('not_found', SEED_GONE)
    return signRecord(record, signingKey)
  }

  async function bundle(
    c: AppContext,
    orgId: string,
    evidence: Evidence,
    anchor: ProvenAnchor | null,
  ): Promise<EvidenceBundle> {
    const { record, facts, inclusion, settlement, coverage } = evidence
    const call = { orgId, attestationId: record.attestation_id, inclusion, anchor }
    const prove = (id: string) => publicLog.provePublicEvidence(c, id)
    const logs = await presentLogProofs(call, { signer, prove, now: clock() })
    if (logs === null) throw EVIDENCE_ERRORS.unreadable()
    return {
      format: EVIDENCE_FORMAT,
      record: await signAgain(record),
      facts: facts === null ? null : readJsonObject(facts),
      settlement: settlement && {
        ...presentSettlement(settlement, { orgId, settles: inclusion.leaf_index }),
        answer_salt: AnswerSaltSchema().parse(readJsonObject(settlement.facts)).answer_salt ?? null,
      },
      coverage: coverage && { index: coverage.inclusion.leaf_index, ...presentEntry(coverage, orgId) },
      ...logs,
      keys: { keys: (keys?.history ?? []).map(toPublishedKey) },
    }
  }

  return {
    /** Returns the record or the bundle. `recordOrTraceId`: the attestation_id or the trace_id. */
    async readAttestation(c: AppContext, recordOrTraceId: string): Promise<AttestationRecord | EvidenceBundle> {
      const key = readBearerKey(c, 'gateway', peppers)
      const wanted = c.req.query('bundle')
      const { evidence, anchor } = await gather(c, key, recordOrTraceId, wanted === 'true')
      const isBundle = readBundle(wanted)
      if (evidence.outcome !== 'found') throw EVIDENCE_ERRORS[evidence.outcome]()
      return isBundle ? bundle(c, key.organisationId, evidence, anchor) : signAgain(evidence.record)
    },
  }
}

/** `anchor`: null also if no bundle is asked for. */
type GatheredEvidence = { evidence: EvidenceAnswer; anchor: ProvenAnchor | null }

/** Returns the attestation_id for an attestation_id or a trace_id. Null if the text is neither. */
function readAttestationId(recordOrTraceId: string): string | null {
  const digits = /^tr_([0-9a-f]{32})$/.exec(recordOrTraceId)?.[1]
  const id = digits === undefined ? recordOrTraceId : formatUuid(Uint8Array.fromHex(digits))
  return parseAttestationId(id) === null ? null : id
}

function readBundle(text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  throw new AppError('invalid_request', 'The query member bundle has a wrong value. Send true or false.', {
    param: 'bundle',
    fields: [{ path: 'bundle', rule: 'one of true, false' }],
  })
}

const EVIDENCE_ERRORS = {
  not_found: () =>
    new AppError('not_found', 'Your organisation has no record with this attestation_id or trace_id. Check the id.'),
  not_kept: () =>
    new AppError(
      'not_found',
      'This record has expired. Use the copy that came with the answer; its leaf stays in the logs.',
    ),
  unreadable: () =>
    new AppError('service_unavailable', 'The record cannot be read right now. Try again in a moment.', {
      retryAfterSeconds: 5,
    }),
}

const SEED_GONE =
  'The record cannot be signed again, because its key’s seed is gone. Check the copy that came with the answer.'

const salt = once(() => z.string().regex(/^[0-9a-f]{32}$/))

/** The facts beside a settlement. Empty if nothing was answered. */
const AnswerSaltSchema = once(() => z.object({ answer_salt: salt().optional() }))

export const EvidenceBundleSchema = once(() =>
  z
    .strictObject({
      format: z.literal(EVIDENCE_FORMAT),
      record: AttestationSchema(),
      facts: orNull(z.record(z.string(), z.unknown())).meta({
        description:
          'The facts of the decision, which the record’s attestation_id is computed from: provider, reason, key, use case, time and more. Set it to null before you pass the bundle on, if they are not for its reader.',
      }),
      settlement: settlementSchema('record')
        .extend({
          answer_salt: orNull(salt()).meta({
            description:
              'With it and the answer, anybody can compute `content.answer.sha256`. `content.answer.salt_sha256` is its hash. Null without an answer.',
          }),
        })
        .nullable()
        .meta({ description: 'Null while the call runs, and for a refusal.' }),
      coverage: orNull(coverageSchema()).meta({
        description: 'The entry that the facts name. Null if they name none, and once it has expired.',
      }),
      organisation_log: LogProofSchema(),
      public_log: PublicLogProofSchema().nullable().meta({ description: NOT_PUBLISHED_YET }),
      anchor: orNull(AnchorSchema()).meta({ description: ANCHOR_DESCRIPTION }),
      keys: z
        .strictObject({ keys: historicKeys() })
        .meta({ description: 'The history of keys. Evidence, not trust: whoever checks brings a key of their own.' }),
    })
    .meta({ id: 'EvidenceBundle' }),
)

export type EvidenceBundle = Infer<typeof EvidenceBundleSchema>
