// Settles chats, and alerts the organisation's webhook about budgets: once for each threshold that is passed in a period, and once
// when a budget is exhausted. Members who chose it are mailed at one share. Alerts about stopped answers too. Call these functions inside the turn in which that happens.
import { notify, notifyMembers, notifyWebhook, wants, type Outbox } from '../../notifications/notify.ts'
import { ALERT_PERCENT, highestThresholdReached, MAILED_PERCENT } from '../../policies/budget.policy.ts'
import { budgetsOf, type Budget, type BudgetPeriod } from '../../policies/rules/budget-guard.rule.ts'
import type { Journal } from '../journal/journal.ts'
import {
  settleChat,
  settleInterruptedChats,
  type ChatSettled,
  type ChatSettlement,
  type SettlementStores,
} from './settle-chat.ts'
import type { NotifiedBudget } from '../../notifications/budget-notices.store.ts'
import { NOT_SEARCHED } from '../../evidence/records/answer-scan.ts'
import { readReceiptEntry } from '../../evidence/records/receipt-entry.ts'
import { MINUTE_MS } from '../../platform/time.ts'
import type { EntriesStore } from '../journal/entries.store.ts'
import { spendingOfBudget } from '../journal/state/spending.ts'

type Stores = { journal: Journal; outbox: Outbox }

export function settleChatAndAlert(
  stores: Stores & SettlementStores & { entries: Pick<EntriesStore, 'find'> },
  settlement: ChatSettlement,
  now: number,
): ChatSettled {
  const { journal } = stores
  const keyId = journal.state.months.open.get(settlement.position)?.keyId ?? null
  const settled = settleChat(stores, settlement, now)
  if (keyId === null) return settled
  alertThresholds(stores, keyId, now)
  if (settlement.ended === 'withheld') alertWithheld(stores, settlement, keyId, now)
  return settled
}

/** A program that repeats its request would otherwise send an alert each time. */
const WITHHELD_QUIET_MS = MINUTE_MS

function alertWithheld(
  { outbox, entries }: Pick<Stores, 'outbox'> & { entries: Pick<EntriesStore, 'find'> },
  { position, answerScan = NOT_SEARCHED }: ChatSettlement,
  keyId: string,
  now: number,
): void {
  if (!wants(outbox, 'answer.withheld')) return
  if (!outbox.notices.noteUnlessRecent(`withheld/${keyId}`, WITHHELD_QUIET_MS, now)) return
  const decision = entries.find(position)
  const record = decision && readReceiptEntry(decision.entry)
  const { found, stopped } = answerScan
  const { model = null, attestation_id = null } = record ?? {}
  notify(outbox, { type: 'answer.withheld', data: { key_id: keyId, model, attestation_id, found, stopped } }, now)
}

export function settleInterruptedChatsAndAlert(
  stores: Stores & Parameters<typeof settleInterruptedChats>[0],
  now: number,
): void {
  const { journal, outbox } = stores
  const open = wants(outbox, 'budget.threshold_reached') ? [...journal.state.months.open.values()] : []
  settleInterruptedChats(stores, now)
  for (const keyId of new Set(open.map((chat) => chat.keyId))) if (keyId !== null) alertThresholds(stores, keyId, now)
}

/** Sends one alert for each budget: for the highest threshold that was passed since the last alert. */
export function alertThresholds(stores: Stores, keyId: string, now: number): void {
  if (!wants(stores.outbox, 'budget.threshold_reached')) return
  const { settings, policy } = stores.journal.state
  const rule = policy.document.budget_guard
  for (const budget of budgetsOf(rule, settings, keyId)) {
    const { of, facts, spent } = describe(stores, { budget, keyId }, now)
    const tell = (tellThem: typeof notifyMembers, percents: readonly number[], noted: NotifiedBudget): void => {
      const percent = highestThresholdReached(percents, budget.microeur, spent.spentMicroeur)
      const notice = stores.outbox.notices.read(noted)
      if (percent <= notice.percent) return
      stores.outbox.notices.write(noted, { ...notice, percent }, now)
      tellThem(stores.outbox, { type: 'budget.threshold_reached', data: { ...facts, percent } }, now)
    }
    tell(notifyWebhook, rule?.alert_percent ?? ALERT_PERCENT, of)
    tell(notifyMembers, [MAILED_PERCENT], { ...of, budget: `mail/${of.budget}` })
  }
}

/** Sends one alert that a budget is exhausted. Call it if a call of the key does not fit into the budget. */
export function alertBudgetExhausted(stores: Stores, over: { budget: Budget; keyId: string }, now: number): void {
  if (!wants(stores.outbox, 'budget.exhausted')) return
  const { of, facts, spent } = describe(stores, over, now)
  const notice = stores.outbox.notices.read(of)
  if (notice.isExhausted) return
  stores.outbox.notices.write(of, { ...notice, isExhausted: true }, now)
  const data = { ...facts, reserved_microeur: spent.reservedMicroeur }
  notify(stores.outbox, { type: 'budget.exhausted', data }, now)
}

function describe({ journal }: Stores, { budget, keyId }: { budget: Budget; keyId: string }, now: number) {
  const { state, at } = journal.at(now)
  const { period, microeur } = budget
  const owner = budget.of === 'key' ? keyId : null
  const spent = spendingOfBudget(state, budget, keyId, at)
  const periodStart = startOf(period, at)
  const facts = {
    period,
    period_start: periodStart,
    key_id: owner,
    budget_microeur: microeur,
    spent_microeur: spent.spentMicroeur,
  }
  return { of: { budget: `${period}/${owner ?? ''}`, periodStart, microeur }, facts, spent }
}

const startOf = (period: BudgetPeriod, at: number): string => {
  const day = new Date(at).toISOString().slice(0, 10)
  return period === 'day' ? day : `${day.slice(0, 7)}-01`
}
