// Traces that people marked as incidents, looked for in the log again.
import type { MonitoringFacts } from '../../reports/controls/facts.ts'
import { INCIDENT_SUBJECT } from '../../reports/statements/subjects.ts'
import { formatUuid } from '../../platform/ids.ts'
import type { OwnLog } from '../journal/own-log.ts'
import { unlessDamaged } from './unless-damaged.ts'
import type { Statement } from './statements.store.ts'

/** The latest of them: each may have to be fetched. */
const MOST_LOOKED_FOR = 20

type Incidents = MonitoringFacts['incidents']

/** Rejects where R2 or the index does. */
export async function findIncidents(
  ownLog: Pick<OwnLog, 'findCall'>,
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
    const found = await unlessDamaged(ownLog.findCall(id, now), { outcome: 'unreadable' })
    const position = found.outcome === 'found' ? found.decision.position : null
    incidents.push({ subject, isFound: position !== null || found.outcome === 'not_kept', position })
    await scheduler.wait(0)
  }
  return incidents
}
