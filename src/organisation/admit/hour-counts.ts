// Writes the hour's counts as a log entry: decisions since the last such entry, and calls refused without an entry of their own.
// So anyone with two heads of the log can check that no call between them was left out.
import type { KeysStore } from '../../keys/keys.store.ts'
import { COUNTS_RETENTION_DAYS, FACTS_FORM } from '../../evidence/records/facts-commitment.ts'
import { COVERAGE_FORM } from '../../evidence/records/coverage-entry.ts'
import { planOf } from '../../policies/tier.policy.ts'
import { HOUR_MS, utcMonth } from '../../platform/time.ts'
import type { Journal } from '../journal/journal.ts'
import { listIdleKeys } from '../journal/state/calls.ts'
import { countsDueAt } from '../journal/state/current-hour.ts'
import type { OutcomesStore } from '../outcomes/outcomes.store.ts'

/** Returns when the entry is due, in milliseconds; null if nothing was counted. */
export const hourCountsDueAt = (journal: Journal): number | null => countsDueAt(journal.state.counts)

type Stores = { journal: Journal; keys: KeysStore; outcomes: OutcomesStore }

/** Writes the entry if it is due. Call it inside a turn. */
export function writeHourCounts({ journal, keys, outcomes }: Stores, now: number): void {
  const { state, at } = journal.at(now)
  const { counts } = state
  if (counts.hour === null || (countsDueAt(counts) ?? Infinity) > at) return
  // The entry drops idle keys from the state: only their own rows then say when they were used.
  for (const { keyId, lastUsedAt } of listIdleKeys(state.calls, at)) keys.writeLastUse(keyId, lastUsedAt)
  const { counted, ...refused } = counts.calls
  const isCovered = [...state.coverage.values()].some(({ position }) => position < counts.from)
  const content = {
    // A decision from here on that has no covered facts was changed.
    facts_form: FACTS_FORM,
    // A decision from here on that names no coverage entry was made by software that writes none.
    ...(isCovered && { coverage_form: COVERAGE_FORM }),
    retention_days: counts.retentionDays ?? planOf(state.settings).retentionDays,
    from: counts.from,
    hour: new Date(counts.hour * HOUR_MS).toISOString(),
    allowed: counts.chats.ALLOWED,
    blocked: counts.chats.BLOCKED,
    suppressed: counts.chats.SUPPRESSED,
    referrals: Object.fromEntries(counts.referrals),
    readings: counts.readings,
    refused,
    other_calls: counted,
  }
  // No export may lack counts while it has calls of their hour, whatever retention those were given.
  journal.append({ kind: 'hour_counts', content, retentionDays: COUNTS_RETENTION_DAYS }, now)
  if (counts.readings > 0) outcomes.countReadings(counts.readings, utcMonth(counts.hour * HOUR_MS))
}
