// Takes receipts and anchors into the public log. Stores the last position taken from each source: an organisation's log, or its
// anchors.
import { parseId } from '../platform/ids.ts'
import { sql } from '../platform/sql.ts'
import { ObjectStore } from '../platform/stores.ts'
import { HASH_BYTES } from '../evidence/tree/tiles.ts'
import { LeafBatchesStore, MOST_LEAVES_A_BATCH, type TakenReceipt } from './leaf-batches.store.ts'
import type { SubmittedReceipt, ReceiptBatch, IntakeProgress } from './public-log.client.ts'

export const SOURCES_SCHEMA = `
  CREATE TABLE sources (
    source TEXT PRIMARY KEY,
    taken_to INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

export class IntakeStore extends ObjectStore {
  readonly #batches = new LeafBatchesStore(this.sql)

  /**
   * Must run inside a transaction. Skips receipts that the log has, so a batch may be sent twice. Takes none if receipts before
   * the batch are missing. Throws RangeError for a batch out of order, and for an invalid id or hash.
   */
  take({ source, after, receipts }: ReceiptBatch): IntakeProgress {
    const takenBefore = this.#takenTo(source)
    if (after > takenBefore) return { takenTo: takenBefore }
    assertInOrder(after, receipts)
    const fresh = receipts.filter(({ position }) => position > takenBefore).map(takenReceipt)
    for (let at = 0; at < fresh.length; at += MOST_LEAVES_A_BATCH) {
      this.#batches.append(source, fresh.slice(at, at + MOST_LEAVES_A_BATCH))
    }
    const takenTo = fresh.at(-1)?.origin ?? takenBefore
    if (fresh.length > 0)
      this.run(sql`INSERT OR REPLACE INTO sources (source, taken_to) VALUES (${source}, ${takenTo})`)
    return { takenTo }
  }

  #takenTo(source: string): number {
    const [row] = this.rows<{ taken_to: number }>(sql`SELECT taken_to FROM sources WHERE source = ${source}`)
    return row?.taken_to ?? -1
  }
}

function assertInOrder(after: number, receipts: readonly SubmittedReceipt[]): void {
  let last = after
  for (const { position } of receipts) {
    if (!Number.isSafeInteger(position) || position <= last) throw new RangeError('receipts come in order')
    last = position
  }
}

function takenReceipt({ position, attestationId, leafHash }: SubmittedReceipt): TakenReceipt {
  const id = parseId('', attestationId)
  if (id === null) throw new RangeError('an attestation_id is a UUID')
  if (leafHash.length !== HASH_BYTES) throw new RangeError('a leaf is a hash of 32 bytes')
  return { attestationId: id, leafHash, origin: position }
}
