// What shows a decision to others: its record, how it ended, and where both stand in the organisation's log. The places are
// looked up in one turn, so they are of one tree; the entries are read after it, wherever they are kept.
import { readReceiptEntry } from '../attestation/receipt-entry.ts'
import type { UnsignedRecord } from '../attestation/record.ts'
import type { Archive, FoundEntry } from '../ledger/archive.ts'
import type { ReceiptsStore } from '../ledger/receipts.store.ts'
import type { SettlementsStore } from '../ledger/settlements.store.ts'
import type { TreeStore } from '../ledger/tree.store.ts'
import { includedAt, type Inclusion } from './transparency.ts'

export type Evidence = {
  outcome: 'found'
  record: UnsignedRecord
  inclusion: Inclusion
  /** Null while the call runs, and for a refusal, which ends nothing. */
  settlement: { entry: Uint8Array; inclusion: Inclusion } | null
}

/** `not_kept`: its retention is over. */
export type EvidenceAnswer = Evidence | { outcome: 'not_found' | 'not_kept' | 'unreadable' }

type Log = { tree: TreeStore; receipts: ReceiptsStore; settlements: SettlementsStore }

type Places = { record: Inclusion; settlement: Inclusion | null }

/** Null where the log has no record of this id. */
export function locate({ tree, receipts, settlements }: Log, attestationId: string): Places | null {
  const position = receipts.findPosition(attestationId)
  if (position === null) return null
  const size = tree.size()
  const settledAt = settlements.findPosition(position)
  return {
    record: includedAt(tree, position, size),
    settlement: settledAt === null ? null : includedAt(tree, settledAt, size),
  }
}

export async function readEvidence(archive: Archive, places: Places | null, now: number): Promise<EvidenceAnswer> {
  if (places === null) return { outcome: 'not_found' }
  const found = await archive.findEntry(places.record.leafIndex, now)
  if (found.outcome !== 'found') return withoutCause(found)
  const record = readReceiptEntry(found.entry)
  if (record === null) return { outcome: 'unreadable' }
  const evidence = { outcome: 'found', record, inclusion: places.record } as const
  if (places.settlement === null) return { ...evidence, settlement: null }
  const settled = await archive.findEntry(places.settlement.leafIndex, now)
  if (settled.outcome !== 'found') return withoutCause(settled)
  return { ...evidence, settlement: { entry: settled.entry, inclusion: places.settlement } }
}

const withoutCause = ({ outcome }: Exclude<FoundEntry, { outcome: 'found' }>) => ({ outcome })
