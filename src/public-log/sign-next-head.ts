// Signs the public log's next head over stored leaves, and stores it before anybody sees it. Also decides whether a head is still
// fresh: if not, the same root is signed again.
import type { Signer } from '../evidence/records/configured-keys.ts'
import { signPublicHead, type PublicHead } from '../evidence/records/tree-head.ts'
import type { Clock } from '../platform/time.ts'
import { EMPTY_FRONTIER, rootOf } from '../evidence/tree/frontier.ts'
import { LeafBatchesStore } from './leaf-batches.store.ts'
import { HeadsStore } from './heads.store.ts'

type Signing = {
  storage: Pick<DurableObjectStorage, 'sql' | 'sync' | 'transactionSync'>
  signer: Signer | null
  clock: Clock
}

/** A head adds at most this many leaves (32 tiles), so that a backlog is served in steps. */
export const MOST_NEW_LEAVES = 8192

/**
 * Signs, stores and returns the next head, or returns the newest if nothing needs a signature. Null if no key can sign new leaves.
 * The first head is of the empty log.
 *
 * @param mayGrow true if readers have the newest head already; otherwise they get it first
 */
export async function signNextHead({ storage, signer, clock }: Signing, mayGrow: boolean): Promise<PublicHead | null> {
  const heads = new HeadsStore(storage.sql)
  const newest = heads.newest()
  const size = newest?.tree_size ?? 0
  const grownFrontier = newest !== null && mayGrow ? nextFrontier(storage.sql, size) : null
  const signed = grownFrontier === null ? newest : null
  if (signed !== null && stateOfHead(signed, signer, clock()) === 'fresh') return signed

  const key = (await signer?.keyAt(clock())) ?? null
  if (key === null) return signed
  // A clock that was set back must not make the log's time go back.
  const at = newest === null ? clock() : Math.max(clock(), Date.parse(newest.timestamp))
  await storage.sync()
  const { size: treeSize } = grownFrontier ?? { size }
  const root = signed === null ? rootOf(grownFrontier ?? EMPTY_FRONTIER) : Uint8Array.fromHex(signed.root_hash)
  const head = await signPublicHead({ treeSize, root, at }, key)
  storage.transactionSync(() => heads.put(head))
  await storage.sync()
  return head
}

const nextFrontier = (sql: SqlStorage, size: number) =>
  new LeafBatchesStore(sql).nextFrontier(size, size + MOST_NEW_LEAVES)

/** With the time in caches added, readers never get a head that is a minute old. */
export const FRESH_MS = 45_000

/** `due`: serve it, but sign it again. `untrusted`: its key is retired, revoked or not published. */
export type HeadState = 'fresh' | 'due' | 'untrusted'

/** `now` in milliseconds since the epoch. A future time, from a clock that was ahead, counts as fresh. */
export function stateOfHead({ public_key: key, timestamp }: PublicHead, signer: Signer | null, now: number): HeadState {
  if (signer === null || !signer.isActive(key)) return 'untrusted'
  return signer.nameAt(now) === key && now - Date.parse(timestamp) < FRESH_MS ? 'fresh' : 'due'
}
