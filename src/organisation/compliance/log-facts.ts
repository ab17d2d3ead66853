// Checks the log for the checklist: that its tree is whole, that all sealed details have their key, and which of the traces
// that people marked as incidents are in it.
import {
  INCIDENT_SUBJECT,
  type DataFacts,
  type MonitoringFacts,
  type TreeFacts,
} from '../../reports/controls/control.ts'
import { formatUuid } from '../../platform/ids.ts'
import { DamagedTileError, MissingLeavesError, type TiledLog } from '../../tiles/tiled-log.ts'
import { proveConsistencyAt, type KnownTree } from '../../tiles/proofs.ts'
import type { LogReader } from '../journal/log-reader.ts'
import type { Statement } from './statements.store.ts'

/** The latest of them: each may have to be fetched. */
const MOST_LOOKED_FOR = 20

type Incidents = MonitoringFacts['incidents']

/** Entries that are only planned to be sealed are still in the database and have no key yet. */
const SEALED_QUERY = `
  SELECT COUNT(*) AS objects, COUNT(*) - COUNT(data_keys.key) AS withoutKey,
    EXISTS (SELECT 1 FROM data_keys WHERE purpose = 'content' AND key IS NOT NULL) AS hasContentKey
  FROM sealed_details
  LEFT JOIN data_keys ON data_keys.number = sealed_details.data_key AND data_keys.purpose = 'ledger'
  WHERE sealed_details.data_key IS NOT NULL`

/** Checks that the nodes of the tree, wherever they are stored, lead to the root of signed heads. Rejects if R2 does. */
export async function checkTree(log: TiledLog, tree: KnownTree): Promise<TreeFacts> {
  const { size } = tree
  if (size === 0) return { size, rootMatches: null }
  const proof = await unlessDamaged(proveConsistencyAt(log, { oldSize: size, newSize: size }, tree), null)
  return { size, rootMatches: proof !== null }
}

export function readSealed(sql: SqlStorage): DataFacts['sealed'] {
  const { objects, withoutKey, hasContentKey } = sql
    .exec<{ objects: number; withoutKey: number; hasContentKey: number }>(SEALED_QUERY)
    .one()
  return { objects, withoutKey, hasContentKey: hasContentKey === 1 }
}

/** Rejects if R2 or the index does. */
export async function findIncidents(
  logReader: Pick<LogReader, 'findCall'>,
  statements: readonly Statement[],
  now: number,
): Promise<Incidents> {
  const marked = statements
    .flatMap(({ subject, statedAt }) => {
      const digits = INCIDENT_SUBJECT.exec(subject)?.[1]
      return digits === undefined ? [] : [{ subject, statedAt, digits }]
    })
    .toSorted((one, other) => other.statedAt - one.statedAt)
    .slice(0, MOST_LOOKED_FOR)
  const incidents: Incidents[number][] = []
  for (const { subject, digits } of marked) {
    const id = formatUuid(Uint8Array.fromHex(digits))
    const found = await unlessDamaged(logReader.findCall(id, now), { outcome: 'unreadable' })
    const position = found.outcome === 'found' ? found.decision.position : null
    incidents.push({ subject, isFound: position !== null || found.outcome === 'not_kept', position })
    await scheduler.wait(0)
  }
  return incidents
}

/**
 * Returns `otherwise` if a tile is damaged in every bucket or a leaf is in no row: the checklist must report a damaged log,
 * and not fail over it.
 */
export async function unlessDamaged<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading
  } catch (thrown) {
    if (thrown instanceof DamagedTileError || thrown instanceof MissingLeavesError) return otherwise
    throw thrown
  }
}
