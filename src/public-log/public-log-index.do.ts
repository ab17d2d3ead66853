// One of the shards that know where in the public log an attestation is, so that whoever asks never waits for the object
// that writes the log, nor that one for them.
import { DurableObject } from 'cloudflare:workers'
import { migrateObject } from '../platform/object-migrations.ts'
import type { IndexEntry } from './batches.store.ts'
import { INDEX_MIGRATIONS, IndexStore, type IndexedPlace } from './index.store.ts'

export class PublicLogIndex extends DurableObject {
  readonly #store: IndexStore

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    migrateObject(ctx.storage, INDEX_MIGRATIONS)
    this.#store = new IndexStore(ctx.storage.sql)
  }

  /** Changes no entry that is there already. Returns how many of these have another position. */
  insertEntries(entries: readonly IndexEntry[]): number {
    return this.ctx.storage.transactionSync(() => entries.filter((entry) => !this.#store.insert(entry)).length)
  }

  /** The position of its leaf; null when the log is not known to have this attestation. */
  findPosition(attestationId: Uint8Array): number | null {
    return this.#store.find(attestationId)?.position ?? null
  }

  /** Null when the log is not known to have this attestation. */
  findPlace(attestationId: Uint8Array): IndexedPlace | null {
    return this.#store.find(attestationId)
  }
}
