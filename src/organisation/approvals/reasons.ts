// Why people decided as they did, where their organisation keeps content: the Worker seals each reason under a key that is derived in
// the turn of the decision, so no text enters the object. The ledger is told of a reading before anything is handed out.
import { z } from 'zod'
import { readAcceptance } from '../../evidence/records/accept-record.ts'
import type { Archive } from '../journal/archive.ts'
import { contentOf } from '../../evidence/entry.ts'
import type { ApprovalId } from '../../platform/ids.ts'
import { appendAct, type Act } from '../acts.ts'
import type { ContentKeys } from '../content/content-keys.ts'
import type { ContentPlace } from '../content/content-object.ts'
import type { TakeTurn } from '../stores.ts'
import { showApproval } from './read-approvals.ts'
import type { ApprovalStores } from './steps.ts'

/** `place`: null where it was not kept, its time is over, or its key was destroyed. `reasonHash`: what the record says of it. */
export type OpenedReason = { acceptanceId: string; decidedBy: string; reasonHash: string; place: ContentPlace | null }

type Parts = {
  archive: Pick<Archive, 'findEntry'>
  stores: ApprovalStores & { content: Pick<ContentKeys, 'find'> }
  /** Of whoever manages the organisation. */
  takeTurn: TakeTurn
}

const KeptSchema = z.object({ key: z.string(), expires_at: z.iso.datetime() })

type Kept = { fingerprint: string; expiresAt: number } | null

/** Of those decisions that have a reason, and whose entries are kept. */
export async function openReasons(
  { archive, stores, takeTurn }: Parts,
  id: ApprovalId,
  act: Act,
  now: number,
): Promise<OpenedReason[] | null> {
  const approval = takeTurn(() => showApproval(stores, { id, keyId: null }, now))
  if (approval === null) return null
  const entries = await Promise.all(approval.decisions.map(({ position }) => archive.findEntry(position, now)))
  const found = entries.flatMap((entry) => (entry.outcome === 'found' ? readEntry(entry.entry) : []))
  return takeTurn(() => {
    appendAct(stores.journal, { ...act, content: { approval_id: id } }, now)
    return found.map(({ kept, acceptanceId, decidedBy, reasonHash }) => {
      const isKept = kept !== null && kept.expiresAt > now
      const wanted = { attestationId: acceptanceId, kind: 'reason', expiresAt: kept?.expiresAt ?? 0 } as const
      const place = isKept ? stores.content.find(wanted, kept.fingerprint) : null
      return { acceptanceId, decidedBy, reasonHash, place }
    })
  })
}

function readEntry(entry: Uint8Array): (Omit<OpenedReason, 'place'> & { kept: Kept })[] {
  const content = contentOf(entry)
  const record = readAcceptance(content['acceptance'])
  if (record === null || record.reason_hash === '') return []
  const kept = KeptSchema.safeParse(content['reason_content']).data
  return [
    {
      acceptanceId: record.acceptance_id,
      decidedBy: record.reviewer_ref,
      reasonHash: record.reason_hash,
      kept: kept === undefined ? null : { fingerprint: kept.key, expiresAt: Date.parse(kept.expires_at) },
    },
  ]
}
