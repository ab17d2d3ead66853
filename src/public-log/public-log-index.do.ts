// One shard of the index from attestations to public log positions. Readers ask it instead of the object that writes the log, so
// neither waits for the other.
import { DurableObject } from 'cloudflare:workers'
import { openMigrated } from '../platform/durable-object.ts'
import { INDEX_MIGRATIONS, AttestationIndexStore } from './attestation-index.store.ts'
import type { IndexedPositions, IndexEntry, IndexShardCalls } from './public-log.client.ts'

export class PublicLogIndex extends DurableObject implements IndexShardCalls {
  readonly #store: () => AttestationIndexStore

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    this.#store = openMigrated(ctx.storage, INDEX_MIGRATIONS, () => new AttestationIndexStore(ctx.storage.sql))
  }

  /** Inserts entries, and never changes a stored one. Returns how many of them are stored with another position. */
  insertEntries(entries: readonly IndexEntry[]): number {
    return this.ctx.storage.transactionSync(() => entries.filter((entry) => !this.#store().insert(entry)).length)
  }

  /** Returns the leaf's position; null if the index does not have this attestation. */
  findPosition(attestationId: Uint8Array): number | null {
    return this.#store().find(attestationId)?.position ?? null
  }

  /** Returns the positions in both logs; null if the index does not have this attestation. */
  findPlace(attestationId: Uint8Array): IndexedPositions | null {
    return this.#store().find(attestationId)
  }
}
