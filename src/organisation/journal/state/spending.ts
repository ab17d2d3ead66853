// Sums recent spending: each day of the organisation and its keys, and each month of its keys. Calls not yet settled count at
// their worst case. The organisation's own months are in monthly-usage.ts, which also counts their requests.
import { utcDay, utcMonth } from '../../../platform/time.ts'
import type { MonthSpending } from '../../../policies/budget.policy.ts'
import type { Budget } from '../../../policies/rules/budget-guard.rule.ts'
import { WHOLE_ORGANISATION } from './calls.ts'
import type { StateEvent } from './state-event.ts'
import { monthAt, type Months } from './monthly-usage.ts'

/** Spending by whole UTC days or months since the epoch, ascending, and then by key id or WHOLE_ORGANISATION. */
export type Periods = Map<number, Map<string, MonthSpending>>

export type Spending = { days: Periods; keyMonths: Periods }

/** How many periods with spending are stored. A limit by date would delete too much if the clock steps for a moment. */
const MOST_PERIODS = 3

const NO_SPENDING: Readonly<MonthSpending> = { spentMicroeur: 0, reservedMicroeur: 0 }

export const createSpending = (): Spending => ({ days: new Map(), keyMonths: new Map() })

/** Returns a subject's spending in the UTC day of `at`. */
export const daySpending = ({ days }: Spending, subject: string, at: number): Readonly<MonthSpending> =>
  days.get(utcDay(at))?.get(subject) ?? NO_SPENDING

/** Returns a key's spending in the UTC month of `at`. */
export const keyMonthSpending = ({ keyMonths }: Spending, keyId: string, at: number): Readonly<MonthSpending> =>
  keyMonths.get(utcMonth(at))?.get(keyId) ?? NO_SPENDING

/** Returns the spending that a budget limits, in the period of `at`. */
export function spendingOfBudget(
  { months, spending }: { months: Months; spending: Spending },
  { period, of }: Pick<Budget, 'period' | 'of'>,
  keyId: string,
  at: number,
): Readonly<MonthSpending> {
  if (period === 'day') return daySpending(spending, of === 'key' ? keyId : WHOLE_ORGANISATION, at)
  return of === 'key' ? keyMonthSpending(spending, keyId, at) : monthAt(months, at)
}

/** Call it before `applyMonths`, which deletes the chat that a settlement ends. */
export function applySpending({ spending, months }: { spending: Spending; months: Months }, event: StateEvent): void {
  if (event.kind === 'chat_decision' && event.outcome === 'ALLOWED') {
    const reserved = { spentMicroeur: 0, reservedMicroeur: event.reservedMicroeur ?? 0 }
    for (const [periods, period, subject] of sumsOfCall(spending, event)) {
      addSpending(periods, period, subject, reserved)
      for (const old of [...periods.keys()].slice(0, -MOST_PERIODS)) periods.delete(old)
    }
  } else if (event.kind === 'settlement') {
    const chat = months.open.get(event.settles)
    if (chat === undefined) return
    const settled = { spentMicroeur: event.costMicroeur, reservedMicroeur: -chat.microeur }
    for (const [periods, period, subject] of sumsOfCall(spending, chat)) {
      if (periods.get(period)?.has(subject) === true) addSpending(periods, period, subject, settled)
    }
  } else if (event.kind === 'cost_corrected') {
    const corrected = { spentMicroeur: event.moreMicroeur, reservedMicroeur: 0 }
    for (const [periods, period, subject] of sumsOfCall(spending, { at: event.countedAt, keyId: event.keyId })) {
      if (periods.get(period)?.has(subject) === true) addSpending(periods, period, subject, corrected)
    }
  }
}

/** Moves spending of later periods than those of `at` to these: the clock was ahead. */
export function clampTimesOfSpending({ spending }: { spending: Spending }, at: number): void {
  clampPeriods(spending.days, utcDay(at))
  clampPeriods(spending.keyMonths, utcMonth(at))
}

function clampPeriods(periods: Periods, period: number): void {
  for (const [later, subjects] of [...periods].filter(([of]) => of > period)) {
    periods.delete(later)
    for (const [subject, spent] of subjects) addSpending(periods, period, subject, spent)
  }
}

/** Lists the sums that a call counts towards. */
function sumsOfCall(
  { days, keyMonths }: Spending,
  { at, keyId }: { at: number; keyId: string | null },
): ReadonlyArray<readonly [Periods, number, string]> {
  // A call with no known key was not counted here when it was admitted.
  if (keyId === null) return []
  return [
    [days, utcDay(at), WHOLE_ORGANISATION],
    [days, utcDay(at), keyId],
    [keyMonths, utcMonth(at), keyId],
  ]
}

export function addSpending(periods: Periods, period: number, subject: string, more: MonthSpending): void {
  const subjects = periods.get(period) ?? new Map<string, MonthSpending>()
  const { spentMicroeur, reservedMicroeur } = subjects.get(subject) ?? NO_SPENDING
  subjects.set(subject, {
    spentMicroeur: Math.max(0, spentMicroeur + more.spentMicroeur),
    // A reservation of a dropped period must not be taken from another one's.
    reservedMicroeur: Math.max(0, reservedMicroeur + more.reservedMicroeur),
  })
  periods.set(period, subjects)
}
