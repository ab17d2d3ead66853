// The policy rule about budgets, which only narrows what the settings allow. Pure; amounts are whole micro-euro.
import * as z from 'zod'
import { ownMember } from '../../platform/json.ts'
import { once, type Infer } from '../../platform/once.ts'
import { MONEY_DECIMALS, toEur, toMicroeur } from '../../platform/money.ts'
import { ALERT_PERCENT } from '../budget.policy.ts'
import { raisedKeyLimits, raisedLimits, shortenedList } from './loosening-words.ts'
import { least, recordByKeyId, defineRule } from './rule.ts'

/** An amount of euro, with a millionth as its smallest part. */
export const eur = once(() =>
  z
    .number()
    .min(0)
    .max(1_000_000_000)
    .refine((amount) => toEur(toMicroeur(amount)) === amount, `at most ${MONEY_DECIMALS} decimals`),
)

const BudgetGuardSchema = once(() =>
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

type BudgetGuard = Infer<typeof BudgetGuardSchema>

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

const microeur = (amount: number | undefined): number | undefined =>
  amount === undefined ? undefined : toMicroeur(amount)

const alertsOf = ({ alert_percent: percents = [...ALERT_PERCENT] }: BudgetGuard): string[] => percents.map(String)

export const budgetGuard = defineRule({
  schema: BudgetGuardSchema,
  // Without the rule, the budget of the settings alerts.
  unset: (settings) => (typeof settings?.monthlyBudgetMicroeur === 'number' ? {} : undefined),
  findLooser: (before, after) => [
    ...raisedLimits(before, after),
    ...raisedKeyLimits(before, after),
    ...shortenedList('alert_percent', alertsOf(before), alertsOf(after)),
  ],
})
