// Exports medical receipts as CSV or JSON lines. The log records the export before the first byte. The JSON lines are a head,
// receipts with proofs in that head's tree, and an end. evidence/verify/check-medical-lines.ts checks them.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { actorOf, type Access } from '../../accounts/access/access-control.ts'
import type { Signer } from '../../evidence/records/configured-keys.ts'
import { contentOf, type EntryContent } from '../../evidence/entry.ts'
import { requireSigningKey, presentRecordProof } from '../../public-log/present-proofs.ts'
import type { Act } from '../../organisation/append-act.ts'
import type { ReceiptsExportQuery } from '../../organisation/receipts/receipts.target.ts'
import type { StoredReceipt, ReceiptsPage } from '../../organisation/receipts/medical-receipts.ts'
import { dateOf, DAY_MS } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { csv } from '../../platform/download.ts'
import { demoMark } from '../../platform/names.schema.ts'
import { toEur } from '../../platform/money.ts'
import { repeatRead } from '../../organisation/organisation-client.ts'
import type { DayRange } from '../date-range.ts'
import { anchorOfExport, describeTree, jsonLine, signedEnd, writeLogExport, type LogExportDeps } from '../log-export.ts'
import { presentEvidence, presentReceipt } from './present-receipt.ts'
import type { MedicalReceipt } from './receipts.schema.ts'

export type ReceiptsFormat = 'jsonl' | 'csv'

export type ReceiptsExportStarted =
  | { outcome: 'begun'; texts: AsyncIterable<string> }
  | { outcome: 'too_many'; retryAfterSeconds: number }

/** The receipts of a page. Small, because each receipt gets a proof and a new signature. */
const RECEIPTS_AT_ONCE = 50

type Row = { shown: MedicalReceipt; ending: Infer<typeof EndingSchema> | null; receipt: StoredReceipt }

/** The columns of the CSV, each with how its cell is read. */
const COLUMNS: Readonly<Record<string, (row: Row) => string | number | null | undefined>> = {
  id: ({ shown }) => shown.id,
  created_at: ({ shown }) => shown.created_at,
  trace_id: ({ shown }) => shown.trace_id,
  model: ({ shown }) => shown.model,
  provider: ({ shown }) => shown.provider,
  outcome: ({ shown }) => shown.outcome,
  use_case: ({ shown }) => shown.use_case,
  approval_state: ({ shown }) => shown.approval_state,
  ended: ({ ending }) => ending?.ended,
  served_model: ({ ending }) => ending?.served_model,
  cost_eur: ({ ending }) => ending && toEur(ending.cost_microeur),
  position: ({ receipt }) => receipt.position,
  leaf_hash: ({ receipt }) => receipt.inclusion.leaf_hash,
  request_hash: ({ receipt }) => receipt.record.request_hash,
}

const EndingSchema = once(() =>
  z.object({ ended: z.string(), cost_microeur: z.number(), served_model: z.string().optional() }),
)

export async function startReceiptsExport(
  deps: LogExportDeps,
  access: Access,
  { format, days }: { format: ReceiptsFormat; days: DayRange },
  c: AppContext,
): Promise<ReceiptsExportStarted> {
  const { open, signer, clock } = deps
  const requestId = c.get('requestId')
  const { organisation, manager } = access
  const dates = { start: dateOf(days.first), end: dateOf(days.last) }
  const actOf = (act: string, content: EntryContent): Act => ({ actor: actorOf(manager), act, requestId, content })
  // Throws before the log records an export that no key could sign.
  await requireSigningKey(signer, clock())
  const begun = await open(organisation).receipts.beginExport(actOf('receipts.export', { format, ...dates }))
  if (begun.outcome !== 'begun') return { outcome: 'too_many', retryAfterSeconds: begun.retryAfterSeconds }
  const { tree, medical } = begun
  const now = clock()
  const anchor = await anchorOfExport(deps, c, organisation, tree)
  const signedTree = await describeTree(deps, organisation.id, { tree, anchor }, now)
  const written = { receipts: 0, unreadable_entries: 0 }
  let isComplete = false

  async function head(): Promise<string> {
    if (format === 'csv') return csv([Object.keys(COLUMNS)])
    const members = {
      object: 'medical_export.head',
      schema: 'medical-1',
      export_id: requestId,
      org_id: organisation.id,
    }
    return jsonLine({ ...members, ...demoMark(organisation.id), ...dates, medical_use_cases: medical, ...signedTree })
  }

  async function* lines(): AsyncGenerator<string> {
    for await (const { receipts, unreadable } of pagesOf(deps, access, { days, tree, medical })) {
      written.receipts += receipts.length
      written.unreadable_entries += unreadable
      yield (await Promise.all(receipts.map(render))).join('')
    }
  }

  const render = async (receipt: StoredReceipt): Promise<string> =>
    format === 'csv' ? csv([cellsOf(receipt)]) : jsonLine(await describeLine(receipt, organisation.id, signer))

  const recordEnd = async (more: { sha256?: string }): Promise<void> => {
    const content = { export_id: requestId, complete: isComplete, ...written, ...more }
    await open(organisation).log.recordAct(actOf('receipts.export_end', content))
  }

  async function end(sha256: string): Promise<string> {
    const text =
      format === 'csv'
        ? csv([endCells(written)])
        : await signedEnd(deps, { object: 'medical_export.end', ...written, sha256 })
    isComplete = true
    await recordEnd({ sha256 })
    return text
  }

  // If the export is complete, the log already has its end.
  const breakOff = async (): Promise<void> => (isComplete ? undefined : recordEnd({}))
  return { outcome: 'begun', texts: writeLogExport({ head, lines, end, breakOff }) }
}

const describeLine = async (receipt: StoredReceipt, organisationId: string, signer: Signer | null) => ({
  ...presentReceipt(receipt),
  ...(await presentEvidence(receipt, signer)),
  organisation_log: { proof: presentRecordProof(organisationId, receipt.attestationId, receipt.inclusion) },
})

function cellsOf(receipt: StoredReceipt): string[] {
  const { settlement } = receipt
  const ending = settlement && EndingSchema().parse(contentOf(settlement.entry))
  const row = { shown: presentReceipt(receipt), ending, receipt }
  return Object.values(COLUMNS).map((cell) => String(cell(row) ?? ''))
}

const endCells = ({ receipts, unreadable_entries: unreadable }: { receipts: number; unreadable_entries: number }) => {
  const [first, second] = [unreadable === 0 ? 'complete' : 'incomplete', String(receipts)]
  return Object.keys(COLUMNS).map((_, at) => [first, second][at] ?? '')
}

async function* pagesOf(
  { open }: LogExportDeps,
  { organisation }: Access,
  { days, ...pinned }: Pick<ReceiptsExportQuery, 'tree' | 'medical'> & { days: DayRange },
): AsyncGenerator<ReceiptsPage<StoredReceipt>> {
  const range = { from: days.first * DAY_MS, until: (days.last + 1) * DAY_MS, outcome: null, useCase: null }
  for (let before: number | null = null; ;) {
    const wanted: ReceiptsExportQuery = { ...range, ...pinned, before, limit: RECEIPTS_AT_ONCE }
    // Uses a new stub each time, because a stub that failed keeps failing.
    const page = await repeatRead(async (): Promise<ReceiptsPage<StoredReceipt>> =>
      open(organisation).receipts.export(wanted),
    )
    yield page
    if (page.next === null) return
    before = page.next
  }
}
