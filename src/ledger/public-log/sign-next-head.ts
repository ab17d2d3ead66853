// Signs the public log's next head: once for each size, over leaves that are on disk, and on disk itself before anybody
// sees it.
import type { Signer } from '../../attestation/attestation-keys.ts'
import { signPublicHead, type PublicHead } from '../../attestation/tree-head.ts'
import type { Clock } from '../../platform/clock.ts'
import { TreeStore } from '../tree.store.ts'
import { HeadsStore } from './heads.store.ts'

type Signing = {
  storage: Pick<DurableObjectStorage, 'sql' | 'sync'>
  signer: Signer | null
  clock: Clock
}

/** A head covers at most this many leaves more than the one before, so that a backlog is served in steps: 32 tiles. */
export const MOST_NEW_LEAVES = 8192

/** The newest head where there is nothing new to sign; null where no key signs. The first is of the empty log. */
export async function signNextHead({ storage, signer, clock }: Signing): Promise<PublicHead | null> {
  const tree = new TreeStore(storage.sql)
  const heads = new HeadsStore(storage.sql)
  const newest = heads.newest()
  const size = newest === null ? 0 : Math.min(tree.size(), newest.tree_size + MOST_NEW_LEAVES)
  if (newest?.tree_size === size) return newest

  const key = (await signer?.keyAt(clock())) ?? null
  if (key === null) return null
  // A clock that was put back must not make the log seem to go back.
  const at = newest === null ? clock() : Math.max(clock(), Date.parse(newest.timestamp))
  await storage.sync()
  const head = await signPublicHead({ treeSize: size, root: tree.rootAt(size), at }, key)
  heads.insert(head)
  await storage.sync()
  return head
}
