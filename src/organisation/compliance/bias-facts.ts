// Compares how declared cohorts were served, and reads the anomalies of a period, as bias detection does, if the tier has it.
import { DAY_MS } from '../../platform/time.ts'
import { hasFeature } from '../../policies/tier.policy.ts'
import { AnomaliesStore } from '../bias/anomalies.store.ts'
import { compareOutcomes } from '../bias/bias.target.ts'
import type { CallOutcome } from '../bias/outcomes.ts'
import type { ObjectParts } from '../object-parts.ts'
import type { Gathered, Period } from './gathered.ts'

/** The outcomes that cohorts are compared by. Nobody knows the cohort of an approval. */
const COMPARED: readonly CallOutcome[] = ['answered', 'refused', 'blocked', 'suppressed', 'failed']

/** The newest. */
const MOST_ANOMALIES = 500

/** Null where the tier has no bias detection. Rejects where R2 does. */
export async function gatherBias(
  { sql, stores, usage, turns }: Pick<ObjectParts, 'sql' | 'stores' | 'usage' | 'turns'>,
  { first, last }: Period,
): Promise<Gathered['bias']> {
  const { settings, policy } = stores.journal.state
  if (!hasFeature(settings.tier, 'bias_detection')) return null
  const outcomes = policy.document.bias === undefined ? [] : COMPARED
  const compared = []
  for (const outcome of outcomes) {
    const wanted = { first, last, by: 'cohort' as const, outcome, reference: null }
    const { journal, endedApprovals } = stores
    const report = await usage.answer(turns.open, () =>
      compareOutcomes(sql, { approvals: journal.state.approvals.values(), endedApprovals }, wanted),
    )
    // They are told once, beside all comparisons.
    compared.push({ wanted, report: { ...report, anomalies: [] } })
  }
  const range = { since: first * DAY_MS, until: (last + 1) * DAY_MS }
  return { compared, anomalies: turns.open(() => new AnomaliesStore(sql).list(range)).slice(-MOST_ANOMALIES) }
}
