// Whether the nodes of the tree, wherever they are stored, lead to the root that heads are signed with.
import type { TreeFacts } from '../../reports/controls/facts.ts'
import { proveConsistencyAt, type KnownTree } from '../../tiles/proofs.ts'
import type { TiledLog } from '../../tiles/tiled-log.ts'
import { unlessDamaged } from './unless-damaged.ts'

/** Rejects where R2 does. */
export async function checkTree(log: TiledLog, tree: KnownTree): Promise<TreeFacts> {
  const { size } = tree
  if (size === 0) return { size, rootMatches: null }
  const proof = await unlessDamaged(proveConsistencyAt(log, { oldSize: size, newSize: size }, tree), null)
  return { size, rootMatches: proof !== null }
}
