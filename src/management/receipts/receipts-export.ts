// Exports medical receipts. The ledger records the export first; the text is made while it is read, page by page.
// countersign-verify checks the JSON lines: a head, receipts with their proofs in that head's tree, and an end.
import { z } from 'zod'
import { actorOf, type Access } from '../../accounts/access/access.ts'
import type { Signer } from '../../evidence/records/attestation-keys.ts'
import { signIssued } from '../../evidence/records/issued-document.ts'
import { publishKey } from '../../evidence/records/key-history.ts'
import { contentOf } from '../../evidence/entry.ts'
import type { Anchor, TreeHead } from '../../evidence/bundles/log.schema.ts'
import { keyThatSigns, signTreeHead } from '../../public-log/log-answers.ts'
import type { WantedExport } from '../../organisation/receipts/receipts.target.ts'
import type { StoredReceipt, MedicalUseCases, ReceiptsPage } from '../../organisation/receipts/medical-calls.ts'
import { dateOf, DAY_MS } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { csv } from '../../platform/download.ts'
import { demoMark } from '../../platform/shapes.schema.ts'
import type { OrganisationId } from '../../platform/ids.ts'
import { beginSha256 } from '../../platform/sha256.ts'
import { anchorOfExport } from '../anchor-of-export.ts'
import { repeatRead } from '../../organisation/client.ts'
import type { DayRange } from '../date-range.ts'
import { presentEvidence, presentProof, presentReceipt } from './present-receipt.ts'
import type { ReceiptsDeps } from './receipts.service.ts'

export type ReceiptsFormat = 'jsonl' | 'csv'

export type WantedReceiptsExport = { format: ReceiptsFormat; days: DayRange }

export type ReceiptsExportStarted =
  | { outcome: 'begun'; texts: AsyncIterable<string> }
  | { outcome: 'too_many'; retryAfterSeconds: number }

/** The receipts of a page, which is small because each gets a proof and a new signature. */
const RECEIPTS_AT_ONCE = 50

const COLUMNS = [
  'id',
  'created_at',
  'trace_id',
  'model',
  'provider',
  'outcome',
  'use_case',
  'approval_state',
  'ended',
  'cost_eur',
  'position',
  'leaf_hash',
  'request_hash',
] as const

const MICROEUR_PER_EUR = 1_000_000

export async function startReceiptsExport(
  deps: ReceiptsDeps,
  access: Access,
  { format, days }: WantedReceiptsExport,
  c: AppContext,
): Promise<ReceiptsExportStarted> {
  const { open, signer, clock, keys, publicLog } = deps
  const requestId = c.get('requestId')
  const { organisation, manager } = access
  const told = { format, start: dateOf(days.first), end: dateOf(days.last) }
  const actor = actorOf(manager)
  // Throws before the ledger records an export that nobody could prove.
  await keyThatSigns(signer, clock())
  const begun = await open(organisation).receipts.beginExport({
    actor,
    act: 'receipts.export',
    requestId,
    content: told,
  })
  if (begun.outcome !== 'begun') return { outcome: 'too_many', retryAfterSeconds: begun.retryAfterSeconds }
  const { tree, medical } = begun
  const head = await signTreeHead(signer, { orgId: organisation.id, ...tree }, clock())
  const published = (keys?.history ?? []).map(publishKey)
  const anchor = await anchorOfExport({ open, publicLog }, c, organisation, tree)

  async function* write(): AsyncGenerator<string> {
    const hashing = beginSha256()
    const hashed = (text: string): string => {
      hashing.update(text)
      return text
    }
    const written = { receipts: 0, unreadable_entries: 0 }
    let isComplete = false
    const tellEnd = async (whole: { sha256?: string }): Promise<void> => {
      const content = { export_id: requestId, complete: isComplete, ...written, ...whole }
      await open(organisation).log.recordAct({ actor, act: 'receipts.export_end', requestId, content })
    }
    try {
      yield hashed(
        format === 'csv'
          ? csv([[...COLUMNS]])
          : line(describeHead(organisation.id, { head, anchor, published, medical, requestId, ...told })),
      )
      for await (const { receipts, unreadable } of pagesOf(deps, access, { days, tree, medical })) {
        written.receipts += receipts.length
        written.unreadable_entries += unreadable
        yield hashed((await Promise.all(receipts.map(render))).join(''))
      }
      const sha256 = hashing.digestHex()
      const last = format === 'csv' ? csv([lastCells(written)]) : await describeEnd({ ...written, sha256 })
      isComplete = true
      await tellEnd({ sha256 })
      yield last
    } finally {
      // A failure is ignored: an organisation that was erased meanwhile has no log to write to.
      if (!isComplete) await tellEnd({}).catch(() => undefined)
    }
  }

  /** Signs the line with the hash of all bytes before it, so that nobody can change the export unnoticed. */
  async function describeEnd(written: { receipts: number; unreadable_entries: number; sha256: string }) {
    const now = clock()
    return line(await signIssued({ object: 'medical_export.end', ...written }, await keyThatSigns(signer, now), now))
  }

  const render = async (receipt: StoredReceipt): Promise<string> =>
    format === 'csv' ? csv([cellsOf(receipt)]) : line(await describeLine(receipt, organisation.id, signer))

  return { outcome: 'begun', texts: write() }
}

const line = (value: object): string => `${JSON.stringify(value)}\n`

async function describeLine(receipt: StoredReceipt, organisationId: string, signer: Signer | null) {
  const named = { organisationId, attestationId: receipt.attestationId }
  return {
    ...presentReceipt(receipt),
    ...(await presentEvidence(receipt, signer)),
    organisation_log: { proof: presentProof(named, receipt.inclusion) },
  }
}

function cellsOf(receipt: StoredReceipt): string[] {
  const { object: _, ...shown } = presentReceipt(receipt)
  const { ended, cost_microeur: cost } = endingOf(receipt)
  const row: Record<(typeof COLUMNS)[number], string> = {
    ...shown,
    provider: shown.provider ?? '',
    use_case: shown.use_case ?? '',
    approval_state: shown.approval_state ?? '',
    ended: ended ?? '',
    cost_eur: cost === null ? '' : String(cost / MICROEUR_PER_EUR),
    position: String(receipt.position),
    leaf_hash: receipt.inclusion.leaf_hash,
    request_hash: receipt.record.request_hash,
  }
  return COLUMNS.map((name) => row[name])
}

const EndingSchema = z.object({ ended: z.string(), cost_microeur: z.number() })

const endingOf = ({ settlement }: StoredReceipt) =>
  settlement === null ? { ended: null, cost_microeur: null } : EndingSchema.parse(contentOf(settlement.entry))

const lastCells = ({ receipts, unreadable_entries: unreadable }: { receipts: number; unreadable_entries: number }) => {
  const [first, second] = [unreadable === 0 ? 'complete' : 'incomplete', String(receipts)]
  return COLUMNS.map((_, at) => [first, second][at] ?? '')
}

type HeadFacts = {
  head: TreeHead
  anchor: Anchor | null
  published: object[]
  medical: MedicalUseCases
  requestId: string
  start: string
  end: string
}

const describeHead = (
  orgId: OrganisationId,
  { head, anchor, published, medical, requestId, start, end }: HeadFacts,
) => ({
  object: 'medical_export.head',
  schema: 'medical-1',
  export_id: requestId,
  org_id: orgId,
  ...demoMark(orgId),
  start,
  end,
  medical_use_cases: medical,
  tree_head: head,
  anchor,
  public_keys: published,
})

async function* pagesOf(
  { open }: ReceiptsDeps,
  { organisation }: Access,
  { days, ...pinned }: Pick<WantedExport, 'tree' | 'medical'> & { days: DayRange },
): AsyncGenerator<ReceiptsPage<StoredReceipt>> {
  const range = { from: days.first * DAY_MS, until: (days.last + 1) * DAY_MS, outcome: null, useCase: null }
  for (let before: number | null = null; ;) {
    const wanted: WantedExport = { ...range, ...pinned, before, limit: RECEIPTS_AT_ONCE }
    // Uses a new stub each time, because a stub that failed keeps failing.
    const page = await repeatRead(async (): Promise<ReceiptsPage<StoredReceipt>> =>
      open(organisation).receipts.export(wanted),
    )
    yield page
    if (page.next === null) return
    before = page.next
  }
}
