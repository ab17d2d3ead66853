// A log whose stored nodes are damaged is what the checklist is to tell, and no reason to tell nothing.
import { DamagedTileError } from '../../ledger/log/nodes.ts'

/** `otherwise` where a tile is in no bucket as it was put there. Rejects as `reading` does else. */
export async function unlessDamaged<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading
  } catch (thrown) {
    if (thrown instanceof DamagedTileError) return otherwise
    throw thrown
  }
}
