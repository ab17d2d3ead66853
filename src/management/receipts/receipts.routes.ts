// Routes for medical receipts: the log's data about calls of a medical use case, with proofs, but never a prompt or an answer.
import * as z from 'zod'
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import { type Access, type AccessControl, assertNotLinkedTo } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { reachOrganisation } from '../../organisation/organisation-client.ts'
import { rememberNumberTexts } from '../../evidence/records/number-text.ts'
import { parseAttestationId } from '../../public-log/public-log-reader.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { readJsonBody, readBodyText } from '../../platform/read-request.ts'
import { isJsonObject, type JsonObject, readJson } from '../../platform/json.ts'
import type { Api } from '../../platform/router.ts'
import { LONGEST_RETENTION_DAYS } from '../../policies/tier.policy.ts'
import { readDateRange } from '../date-range.ts'
import type { LogExportDeps } from '../log-export.ts'
import { FILE_NAME_HEADER, sendExport, tooManyExports } from '../send-export.ts'
import { requireFeature } from '../require-feature.ts'
import { presentReceipt } from './present-receipt.ts'
import { startReceiptsExport } from './receipts-export.ts'
import {
  MedicalReceiptsSchema,
  MedicalReceiptWithProofsSchema,
  ReceiptsExportQuerySchema,
  ReceiptsQuerySchema,
  ReceiptVerificationSchema,
  VerifyReceiptSchema,
} from './receipts.schema.ts'
import { createReceiptsService, type EvidenceObject, type ReceiptsService } from './receipts.service.ts'
import { type SentCopies, verifyReceipt } from './verify-receipt.ts'
import { demoFileName, demoMark } from '../../platform/names.schema.ts'

export function receiptRoutes({ access, ...deps }: LogExportDeps & { access: AccessControl }): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Medical receipts'], security: MANAGEMENT_SECURITY })
  const service = createReceiptsService(deps)
  const requireTier = requireFeature(deps.open, 'medical_receipts', 'medical receipts')

  openapi(
    {
      route: 'GET /api/health/receipts',
      operationId: 'listReceipts',
      summary: 'List receipts',
      description:
        'Lists medical receipts, the latest first. Those of the calls whose use case the policy in force calls medical (`medical_use_cases`); of all calls where it names none. ' +
        'A page takes a bounded look at the log: it may be short, or empty, and say that there is more.',
      permission: 'receipts:read',
      requireTier,
      query: ReceiptsQuerySchema,
      answers: { 200: [MedicalReceiptsSchema, 'A page of receipts.'] },
    },
    async ({ c, caller: who, sent }) => {
      const { outcome, use_case: useCase = null, limit, cursor, ...days } = sent.query()
      const { first, last } = readDateRange(days, deps.clock(), LONGEST_RETENTION_DAYS)
      const wanted = {
        from: first * DAY_MS,
        until: (last + 1) * DAY_MS,
        outcome: outcome ?? null,
        useCase,
        before: cursor === undefined ? null : Number(cursor),
        limit,
      }
      const page = await reachOrganisation(c, () => service.listReceipts(who, wanted))
      return c.json({
        object: 'list' as const,
        ...demoMark(who.organisation.id),
        data: page.receipts.map(presentReceipt),
        has_more: page.next !== null,
        next_cursor: page.next === null ? null : String(page.next),
        unreadable_entries: page.unreadable,
      })
    },
  )

  openapi(
    {
      route: 'GET /api/health/receipts/export',
      operationId: 'exportReceipts',
      summary: 'Export receipts',
      description:
        'Exports medical receipts, the latest first, each with its proofs. As JSON lines: a head, a receipt a line, and an end, without which the file is not whole. `countersign-verify` checks the file ' +
        'without this service. As CSV: without proofs. The ledger is told before the first byte, and at the end.',
      permission: 'receipts:read',
      proof: 'fresh',
      requireTier,
      query: ReceiptsExportQuerySchema,
      answers: {
        200: () => ({
          description: 'The file.',
          content: { 'application/x-ndjson': { schema: z.string() }, 'text/csv': { schema: z.string() } },
          headers: FILE_NAME_HEADER,
        }),
      },
      errors: ['origin_refused'],
    },
    async ({ c, caller: who, sent }) => {
      assertNotLinkedTo(c, who.manager, 'start an export')
      const { format, ...query } = sent.query()
      const days = readDateRange(query, deps.clock(), LONGEST_RETENTION_DAYS)
      const { id: organisationId } = who.organisation
      const date = new Date(deps.clock()).toISOString().slice(0, 10)
      const name = demoFileName(organisationId, `countersign-medical-receipts-${date}`)
      return sendExport(c, { organisationId, name, format, clock: deps.clock }, async () => {
        const started = await reachOrganisation(c, () => startReceiptsExport(deps, who, { format, days }, c))
        if (started.outcome === 'too_many') throw tooManyExports(started.retryAfterSeconds)
        return started.texts
      })
    },
  )

  openapi(
    {
      route: 'GET /api/health/receipts/{id}',
      operationId: 'showReceipt',
      summary: 'Get a receipt',
      description:
        'Returns a medical receipt, with all that proves it to others. Once the details have expired, its leaf and the proofs of that are what is left, of whatever use case the call was.',
      permission: 'receipts:read',
      requireTier,
      params: () => ({ id: z.string().meta({ description: 'The attestation_id of the decision.' }) }),
      answers: { 200: [MedicalReceiptWithProofsSchema, 'The receipt.'] },
    },
    async ({ c, caller: who }) => c.json(await loadReceipt(c, who, { service, object: 'medical_receipt' })),
  )

  openapi(
    {
      route: 'POST /api/health/receipts/{id}/verify',
      operationId: 'verifyReceipt',
      summary: 'Verify a receipt',
      description:
        'Checks a medical receipt, or the copy of its record that is sent. The issuer checks its own receipts here: `check_it_yourself` is the command that does without it. A record that is wrong is no error, but `valid: false`. ' +
        'The request is hashed as the gateway did, and neither kept nor logged.',
      permission: 'receipts:read',
      requireTier,
      params: () => ({ id: z.string().meta({ description: 'The attestation_id of the decision.' }) }),
      body: VerifyReceiptSchema,
      answers: { 200: [ReceiptVerificationSchema, 'What was found.'] },
    },
    async ({ c, caller: who }) => {
      const sent = await readSentCopies(c)
      const receipt = await loadReceipt(c, who, { service, object: 'medical_receipt' })
      const found = verifyReceipt(receipt, sent, service.publishedKeys())
      return c.json({
        object: 'receipt_verification' as const,
        ...demoMark(who.organisation.id),
        id: receipt.id,
        ...found,
        checked_by: 'issuer' as const,
        check_it_yourself: CHECK_IT_YOURSELF,
      })
    },
  )

  return api
}

/** The command that checks a stored response of `showReceipt` with stored keys, without this service. */
const CHECK_IT_YOURSELF = 'node countersign-verify.mjs receipt.json --keys kept-keys.json'

/** Loads the document of one call. Throws `not_found`, or `service_unavailable` if it cannot be read. */
export async function loadReceipt<Object extends EvidenceObject>(
  c: AppContext,
  who: Access,
  { service, object }: { service: ReceiptsService; object: Object },
) {
  const id = c.req.param('id') ?? ''
  if (parseAttestationId(id) === null) throw notFound(object)
  const found = await reachOrganisation(c, () => service.findReceipt(who, id, object))
  const shown = await service.showReceipt(c, who, { id, object }, found)
  if (shown.outcome === 'shown') return shown.receipt
  throw shown.outcome === 'not_found' ? notFound(object) : unreadable()
}

/** SECURITY: reads numbers as they were written, because 1 and 1.0 are the same value but different records. */
async function readSentCopies(c: AppContext): Promise<SentCopies> {
  const { public_key: publicKey = null } = await readJsonBody(c, VerifyReceiptSchema())
  const text = readBodyText(c)
  const body = rememberNumberTexts(text, readJson(text))
  const objectIn = (name: string): JsonObject | null => {
    const value = isJsonObject(body) ? body[name] : undefined
    return isJsonObject(value) ? value : null
  }
  return { record: objectIn('record'), request: objectIn('request'), publicKey }
}

const NOUNS: Readonly<Record<EvidenceObject, string>> = { medical_receipt: 'medical receipt', call_record: 'call' }

const notFound = (object: EvidenceObject): AppError =>
  new AppError('not_found', `Your organisation has no ${NOUNS[object]} with this attestation_id. Check the id.`)

const unreadable = (): AppError =>
  new AppError('service_unavailable', 'The record cannot be read right now. Try again in a moment.', {
    retryAfterSeconds: 5,
  })
