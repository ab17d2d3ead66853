// Writes what the log covers: one entry for each build of the software, in the turn of the first decision under it, before that
// decision. Every other decision costs one look-up in memory.
import { actRetentionDays, planOf } from '../../policies/tier.policy.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { Build, Journal } from '../journal/journal.ts'
import { coverageColumn } from '../journal/state/coverage.ts'
import { DECIDES, type DecidingOperation } from './surface.ts'

/** An entry is kept for this much longer than the decisions under it, so it is written again once a year at most. */
const FURTHER_DAYS = 365

/** `worker`: the id of the Worker's version that read the request; null if it is not known. */
export type Deciding = { operation: DecidingOperation; worker: string | null; retentionDays: number }

/** `worker`: present only if another version read the request than the one that decides, as while a deployment spreads. */
export type Covered = { coverage: number; operation: DecidingOperation; worker?: string }

/**
 * Returns what a decision says of the software that made it. Writes the coverage entry if there is none that outlives the decision.
 * Returns an empty object where the build is not known. Call it in the decision's turn, before the decision is written. Throws for
 * an operation that this build does not declare, as one of a newer Worker: it decides nothing here.
 */
export function coverDecision(
  journal: Journal,
  { operation, worker, retentionDays }: Deciding,
  now: number,
): Covered | Record<string, never> {
  const { build, state } = journal
  if (build === null) return {}
  if (!DECIDES.some((one) => one.operation === operation)) throw new Error('this build does not declare the operation')
  const known = state.coverage.get(build.key)
  // A day more, because an entry counts for a later time if the clock steps back.
  const isKept = known !== undefined && known.until >= now + (retentionDays + 1) * DAY_MS
  const coverage = isKept ? known.position : writeCoverage(journal, build, retentionDays, now)
  const isOther = worker !== null && worker !== build.worker
  return { coverage, operation, ...(isOther && { worker }) }
}

function writeCoverage(journal: Journal, { content, key }: Build, retentionDays: number, now: number): number {
  const { policy, settings } = journal.state
  const days = Math.max(actRetentionDays(planOf(settings)), retentionDays) + FURTHER_DAYS
  const described = { ...content, policy_version: policy.version, retention_days: days }
  const fields = { outcome: coverageColumn(key, days) }
  return journal.append({ kind: 'coverage', content: described, fields, retentionDays: days }, now)
}
