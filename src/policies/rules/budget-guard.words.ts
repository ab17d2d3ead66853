import { ownMember, type JsonObject } from '../../platform/json.ts'
import type { PolicyDocument } from '../document/policy-document.ts'
import { countOf, joined, lowest, numberWords, type WordsOf, type Say } from './rule-words.ts'

/** The budget of the key for a month, by the policy; null if it has none of its own. */
export const monthBudgetOf = (guard: PolicyDocument['budget_guard'], id: string): number | null =>
  lowest(guard?.key_month_eur, ownMember(guard?.keys, id)?.month_eur) ?? null

const amountWords = (rule: JsonObject, name: string, words: string, { euro }: Say): string | null =>
  numberWords(rule, name, (value) => `${euro(value)} ${words}`)

export const budgetGuard: WordsOf<'budget_guard'> = {
  name: 'Budgets',
  about: 'The most that models may cost. Calls under way count at the most they can cost.',
  off: 'the budget of the settings, if there is one',
  start: {},
  members: [
    { name: 'month_eur', label: 'A month, all keys', unit: 'euro' },
    { name: 'day_eur', label: 'A day, all keys', unit: 'euro' },
    { name: 'key_month_eur', label: 'A month, each key', unit: 'euro' },
    { name: 'key_day_eur', label: 'A day, each key', unit: 'euro' },
    { name: 'alert_percent', label: 'Notify at', hint: 'Percent of the budget, with commas: 50, 80, 100.' },
  ],
  summary: (rule, say) =>
    joined(
      amountWords(rule, 'month_eur', 'a month for all keys', say),
      amountWords(rule, 'day_eur', 'a day for all keys', say),
      amountWords(rule, 'key_month_eur', `a month ${say.each}`, say),
      amountWords(rule, 'key_day_eur', `a day ${say.each}`, say),
      countOf(rule['keys']) > 0 && `own budgets for ${say.plural(countOf(rule['keys']), 'key')}`,
    ) || 'No amount is set',
  forKey: (guard, { id, settings }) => {
    const limits = {
      month_eur: lowest(guard?.month_eur, settings.monthly_budget_eur),
      day_eur: guard?.day_eur,
      key_month_eur: monthBudgetOf(guard, id) ?? undefined,
      key_day_eur: lowest(guard?.key_day_eur, ownMember(guard?.keys, id)?.day_eur),
    }
    return lowest(...Object.values(limits)) === undefined ? undefined : limits
  },
}
