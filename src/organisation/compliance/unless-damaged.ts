// A log whose nodes are damaged or gone is what the checklist is to tell, and no reason to tell nothing.
import { DamagedTileError } from '../../tiles/nodes.ts'
import { MissingLeavesError } from '../../tiles/tiled-log.ts'

/** `otherwise` where a tile is in no bucket as it was put there, or a leaf in no row. Rejects as `reading` does else. */
export async function unlessDamaged<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading
  } catch (thrown) {
    if (thrown instanceof DamagedTileError || thrown instanceof MissingLeavesError) return otherwise
    throw thrown
  }
}
