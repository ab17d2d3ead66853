// Reads a period's counted calls for the checklist and for a report. Belongs in a turn in which every entry is counted.
import type { CallFacts } from '../../reports/controls/control.ts'
import { ENDINGS, NO_SUMS, SUM_NAMES, type Sums } from '../usage/counted-call.ts'
import { NO_ENDINGS, type Endings } from '../usage/tally.ts'
import type { Days, UsageSum, UsageSumsStore } from '../usage/usage-sums.store.ts'

export type UsageTotals = Sums & Endings

export type UsageFacts = {
  totals: UsageTotals
  inFlight: number
  /** One sum for each day with a call. */
  byDay: UsageSum[]
  byModel: UsageSum[]
  byUseCase: UsageSum[]
  calls: CallFacts
}

export function readUsageFacts(counted: UsageSumsStore, days: Days): UsageFacts {
  const totalsBy = (by: 'model' | 'use_case' | 'outcome'): UsageSum[] => counted.sums({ days, bucket: 'total', by })
  const byOutcome = totalsBy('outcome')
  const byUseCase = totalsBy('use_case')
  const totals = addUp(byOutcome)
  const declared = byUseCase.filter(({ value }) => value !== null)
  return {
    totals,
    inFlight: counted.inFlight(days),
    byDay: counted.sums({ days, bucket: 'day', by: 'all' }),
    byModel: totalsBy('model'),
    byUseCase,
    calls: {
      requests: totals.requests,
      passed: totals.requests - totals.blocked - totals.suppressed,
      completed: totals.completed,
      interrupted: totals.interrupted,
      estimated: byOutcome.find(({ value }) => value === 'completed')?.estimated ?? 0,
      withUseCase: declared.reduce((sum, { requests }) => sum + requests, 0),
      useCases: declared.flatMap(({ value }) => (value === null ? [] : [value])),
    },
  }
}

function addUp(sums: readonly UsageSum[]): UsageTotals {
  const total = { ...NO_SUMS, ...NO_ENDINGS }
  for (const sum of sums) for (const name of [...SUM_NAMES, ...ENDINGS]) total[name] += sum[name]
  return total
}
