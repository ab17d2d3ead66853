// Closes each month of outcomes: nothing is counted in it later, and a log entry has the salted hash of its counts.
import { canonicalJson } from '../../evidence/records/canonical-json.ts'
import { COUNTS_RETENTION_DAYS } from '../../evidence/records/facts-commitment.ts'
import { HOUR_MS, utcMonthEnd, utcMonthName } from '../../platform/time.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import type { Journal } from '../journal/journal.ts'
import type { AlarmTask } from '../object-alarm.ts'
import type { TakeTurn } from '../organisation-stores.ts'
import type { OutcomesStore } from './outcomes.store.ts'

/** The counts of the month's last hour are written after its end. */
const CLOSES_AFTER_MS = 2 * HOUR_MS

type Parts = { journal: Journal; outcomes: OutcomesStore }

export function monthClosingTask({ journal, outcomes }: Parts, takeTurn: TakeTurn): AlarmTask {
  const dueAt = (): number | null => {
    const open = outcomes.firstOpen()
    return open === null ? null : utcMonthEnd(open.month) + CLOSES_AFTER_MS
  }
  return {
    failure: 'concordance_not_closed',
    dueAt,
    run: (now) =>
      takeTurn(() => {
        if ((dueAt() ?? Infinity) <= now) closeFirstMonth({ journal, outcomes }, now)
      }),
  }
}

/** SECURITY: the hash is salted, because the few rows of a quiet month could be guessed. The salt leaves with the rows alone. */
function closeFirstMonth({ journal, outcomes }: Parts, now: number): void {
  const open = outcomes.firstOpen()
  if (open === null) return
  const { month, readings, salt } = open
  const rows = outcomes.rowsOf(month)
  const content = {
    month: utcMonthName(month),
    readings,
    outcomes: rows.reduce((sum, { n }) => sum + n, 0),
    rows_sha256: sha256Hex(
      `${salt.toHex()}${canonicalJson(rows.map(({ specialty, cell, n }) => [specialty, cell, n]))}`,
    ),
  }
  const position = journal.append({ kind: 'concordance_closed', content, retentionDays: COUNTS_RETENTION_DAYS }, now)
  outcomes.close(month, position)
}
