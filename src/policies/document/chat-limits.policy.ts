// The policy rules about rates, budgets and loops. Rates and budgets only narrow what tier, key and settings allow; loop
// thresholds replace those of the settings. Pure; amounts are whole micro-euro.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { MONEY_DECIMALS, toEur, toMicroeur } from '../../platform/money.ts'
import { ALERT_PERCENT } from '../budget.policy.ts'
import { LOOP_BOUNDS, type LoopSettings } from '../loops.policy.ts'
import { changedTo, raisedKeyLimits, raisedLimits, shortenedList } from './loosening-words.ts'
import { ownMember, recordByKeyId } from './policy-rule.ts'

const perMinute = once(() => z.int().min(0).max(1_000_000))
const perDay = once(() => z.int().min(0).max(1_000_000_000))

export const RateLimitSchema = once(() =>
  z
    .strictObject({
      requests_per_minute: perMinute().optional().meta({ description: 'Of the whole organisation.' }),
      key_requests_per_minute: perMinute().optional().meta({ description: 'Of each key.' }),
      key_requests_per_day: perDay().optional(),
      keys: recordByKeyId(
        z.strictObject({ requests_per_minute: perMinute().optional(), requests_per_day: perDay().optional() }),
      ).optional(),
    })
    .meta({ id: 'RateLimit', description: 'Lower limits than those of the tier and of the keys. The lowest holds.' }),
)

export type RateLimit = Infer<typeof RateLimitSchema>

/** An amount of euro, with a millionth as its smallest part. */
export const eur = once(() =>
  z
    .number()
    .min(0)
    .max(1_000_000_000)
    .refine((amount) => toEur(toMicroeur(amount)) === amount, `at most ${MONEY_DECIMALS} decimals`),
)

export const BudgetGuardSchema = once(() =>
  z
    .strictObject({
      month_eur: eur().optional().meta({ description: 'Of the whole organisation in a UTC month.' }),
      day_eur: eur().optional().meta({ description: 'Of the whole organisation in a UTC day.' }),
      key_month_eur: eur().optional().meta({ description: 'Of each key.' }),
      key_day_eur: eur().optional(),
      keys: recordByKeyId(z.strictObject({ month_eur: eur().optional(), day_eur: eur().optional() })).optional(),
      alert_percent: z
        .array(z.int().min(1).max(100))
        .max(10)
        .optional()
        .meta({ description: 'At which parts of a budget a notification is sent.', example: [50, 80, 100] }),
    })
    .meta({
      id: 'BudgetGuard',
      description:
        'The most that models may cost, calls under way counted at their worst case. Where the settings have a monthly budget too, the lower one holds.',
    }),
)

export type BudgetGuard = Infer<typeof BudgetGuardSchema>

const within = ({ least, most }: { least: number; most: number }) => z.int().min(least).max(most)

export const LoopGuardSchema = once(() =>
  z
    .strictObject({
      repeats: within(LOOP_BOUNDS.repeats).optional(),
      window_seconds: within(LOOP_BOUNDS.windowSeconds).optional(),
      cycle_rounds: within(LOOP_BOUNDS.cycleRounds).optional(),
      cycle_window_seconds: within(LOOP_BOUNDS.cycleWindowSeconds).optional(),
    })
    .meta({
      id: 'LoopGuard',
      description:
        'What counts as a loop, in the place of the settings loop_repeats and so on. Loops are always looked for.',
    }),
)

export type LoopGuard = Infer<typeof LoopGuardSchema>

/** Calls in 60 seconds and in a UTC day. Infinity: no limit. */
export type KeyRateLimits = { perMinute: number; perDay: number }

export function rateLimitOfKey(rule: RateLimit | undefined, keyId: string): KeyRateLimits {
  const own = ownMember(rule?.keys, keyId)
  return {
    perMinute: least(rule?.key_requests_per_minute, own?.requests_per_minute),
    perDay: least(rule?.key_requests_per_day, own?.requests_per_day),
  }
}

export type BudgetPeriod = 'month' | 'day'

/** The most that may be spent in a period: by the organisation, or by one of its keys. */
export type Budget = { period: BudgetPeriod; of: 'organisation' | 'key'; microeur: number }

/** Returns every budget that a call with the key must fit in. */
export function budgetsOf(
  rule: BudgetGuard | undefined,
  settings: { monthlyBudgetMicroeur: number | null },
  keyId: string,
): Budget[] {
  const own = ownMember(rule?.keys, keyId)
  const month = least(settings.monthlyBudgetMicroeur ?? undefined, microeur(rule?.month_eur))
  const budgets: Budget[] = [
    { period: 'month', of: 'organisation', microeur: month },
    { period: 'day', of: 'organisation', microeur: least(microeur(rule?.day_eur)) },
    { period: 'month', of: 'key', microeur: least(microeur(rule?.key_month_eur), microeur(own?.month_eur)) },
    { period: 'day', of: 'key', microeur: least(microeur(rule?.key_day_eur), microeur(own?.day_eur)) },
  ]
  return budgets.filter((budget) => budget.microeur < Infinity)
}

/** Returns the loop thresholds in force: the policy's, and the settings' where it has none. */
export const loopSettingsOf = (rule: LoopGuard | undefined, settings: LoopSettings): LoopSettings => ({
  loopRepeats: rule?.repeats ?? settings.loopRepeats,
  loopWindowSeconds: rule?.window_seconds ?? settings.loopWindowSeconds,
  loopCycleRounds: rule?.cycle_rounds ?? settings.loopCycleRounds,
  loopCycleWindowSeconds: rule?.cycle_window_seconds ?? settings.loopCycleWindowSeconds,
})

const least = (...limits: ReadonlyArray<number | undefined>): number =>
  Math.min(...limits.map((limit) => limit ?? Infinity))

const microeur = (amount: number | undefined): number | undefined =>
  amount === undefined ? undefined : toMicroeur(amount)

export const loosenedRates = (before: RateLimit, after: RateLimit): string[] => [
  ...raisedLimits(before, after),
  ...raisedKeyLimits(before, after),
]

export const loosenedBudget = (before: BudgetGuard, after: BudgetGuard): string[] => [
  ...raisedLimits(before, after),
  ...raisedKeyLimits(before, after),
  ...shortenedList('alert_percent', alertsOf(before), alertsOf(after)),
]

const alertsOf = ({ alert_percent: percents = [...ALERT_PERCENT] }: BudgetGuard): string[] => percents.map(String)

/** Shorter windows and more repeats find fewer loops. */
export function loosenedLoops(before: LoopGuard, after: LoopGuard, settings: LoopSettings): string[] {
  const [from, to] = [loopSettingsOf(before, settings), loopSettingsOf(after, settings)]
  const loosenedBy = (direction: 1 | -1, member: keyof LoopGuard, was: number, is: number): string[] =>
    (is - was) * direction > 0 ? [changedTo(member, was, is)] : []
  return [
    ...loosenedBy(1, 'repeats', from.loopRepeats, to.loopRepeats),
    ...loosenedBy(-1, 'window_seconds', from.loopWindowSeconds, to.loopWindowSeconds),
    ...loosenedBy(1, 'cycle_rounds', from.loopCycleRounds, to.loopCycleRounds),
    ...loosenedBy(-1, 'cycle_window_seconds', from.loopCycleWindowSeconds, to.loopCycleWindowSeconds),
  ]
}
