// Signs the public log's next head: over leaves that are on disk, and on disk itself before anybody sees it. A size that was
// signed before is signed again when its head is no longer fresh, over the same root.
import type { Signer } from '../evidence/records/attestation-keys.ts'
import { signPublicHead, type PublicHead } from '../evidence/records/tree-head.ts'
import type { Clock } from '../platform/clock.ts'
import { EMPTY_FRONTIER, rootOf } from '../evidence/tree/frontier.ts'
import { BatchesStore } from './batches.store.ts'
import { HeadsStore } from './heads.store.ts'

type Signing = {
  storage: Pick<DurableObjectStorage, 'sql' | 'sync'>
  signer: Signer | null
  clock: Clock
}

/** A head covers at most this many leaves more than the one before, so that a backlog is served in steps: 32 tiles. */
export const MOST_NEW_LEAVES = 8192

/**
 * The newest head where there is nothing to sign; null where no key signs what is new. The first is of the empty log.
 *
 * @param mayGrow whether readers have the newest head already; otherwise they get that one first
 */
export async function signNextHead({ storage, signer, clock }: Signing, mayGrow: boolean): Promise<PublicHead | null> {
  const heads = new HeadsStore(storage.sql)
  const newest = heads.newest()
  const size = newest?.tree_size ?? 0
  const grown = newest !== null && mayGrow ? nextFrontier(storage.sql, size) : null
  const signed = grown === null ? newest : null
  if (signed !== null && stateOfHead(signed, signer, clock()) === 'fresh') return signed

  const key = (await signer?.keyAt(clock())) ?? null
  if (key === null) return signed
  // A clock that was put back must not make the log seem to go back.
  const at = newest === null ? clock() : Math.max(clock(), Date.parse(newest.timestamp))
  await storage.sync()
  const { size: treeSize } = grown ?? { size }
  const root = signed === null ? rootOf(grown ?? EMPTY_FRONTIER) : Uint8Array.fromHex(signed.root_hash)
  const head = await signPublicHead({ treeSize, root, at }, key)
  heads.put(head)
  await storage.sync()
  return head
}

const nextFrontier = (sql: SqlStorage, size: number) => new BatchesStore(sql).nextFrontier(size, size + MOST_NEW_LEAVES)

/** With what caches add, a head that is asked for is never a minute old. */
export const FRESH_MS = 45_000

/** `due`: to be signed again, and good until it is. `untrusted`: its key is retired, revoked or not published. */
export type HeadState = 'fresh' | 'due' | 'untrusted'

/** `now` in milliseconds since the epoch. A time to come, as after a clock that was ahead, is fresh. */
export function stateOfHead({ public_key: key, timestamp }: PublicHead, signer: Signer | null, now: number): HeadState {
  if (signer === null || !signer.isActive(key)) return 'untrusted'
  return signer.nameAt(now) === key && now - Date.parse(timestamp) < FRESH_MS ? 'fresh' : 'due'
}
