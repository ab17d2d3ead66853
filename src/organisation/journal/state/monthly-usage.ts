// Sums each month of the organisation: its chat requests, their cost, and the most that open chats may cost, in whole micro-euro.
// Lists the open chats: requests that were admitted and are not settled.
import { utcMonth } from '../../../platform/time.ts'
import type { MonthSpending } from '../../../policies/budget.policy.ts'
import type { StateEvent } from './state-event.ts'

export type MonthUsage = MonthSpending & { requests: number }

/** `month`: whole UTC months since the epoch. */
export type UsedMonth = MonthUsage & { month: number }

/** A request that was admitted at `at` and is not settled. `position` is the position of its entry. */
export type OpenChat = { position: number; at: number; microeur: number; keyId: string | null }

/** Both in ascending order: `used` by month, `open` by position. */
export type Months = { used: Map<number, MonthUsage>; open: Map<number, OpenChat> }

export const createMonths = (): Months => ({ used: new Map(), open: new Map() })

/** Returns the usage in the UTC month of `at`. */
export const monthAt = ({ used }: Months, at: number): Readonly<MonthUsage> =>
  used.get(utcMonth(at)) ?? { requests: 0, spentMicroeur: 0, reservedMicroeur: 0 }

/** Lists all months with requests, the latest first. */
export const listMonths = ({ used }: Months): UsedMonth[] =>
  Array.from(used, ([month, usage]) => ({ month, ...usage })).toReversed()

export const isOpenChat = ({ open }: Months, position: number): boolean => open.has(position)

/** Returns when the oldest open chat was admitted; null if none is open. */
export const oldestOpenAt = ({ open }: Months): number | null => open.values().next().value?.at ?? null

/** Lists at most `limit` open chats admitted at or before `admittedUntil`, the oldest first. */
export function listOpenChats({ open }: Months, admittedUntil: number, limit: number): Readonly<OpenChat>[] {
  const found: OpenChat[] = []
  for (const chat of open.values()) {
    if (chat.at > admittedUntil || found.length >= limit) break
    found.push(chat)
  }
  return found
}

export function applyMonths({ months, next }: { months: Months; next: number }, event: StateEvent): void {
  if (event.kind === 'chat_decision' && event.outcome === 'ALLOWED') {
    const microeur = event.reservedMicroeur ?? 0
    const usage = ensureMonth(months, utcMonth(event.at))
    usage.requests += 1
    usage.reservedMicroeur += microeur
    months.open.set(next, { position: next, at: event.at, microeur, keyId: event.keyId })
  } else if (event.kind === 'settlement') settle(months, event.settles, event.costMicroeur)
  else if (event.kind === 'cost_corrected') {
    const usage = months.used.get(utcMonth(event.countedAt))
    if (usage !== undefined) usage.spentMicroeur = Math.max(0, usage.spentMicroeur + event.moreMicroeur)
  }
}

/** Moves usage of months after that of `at` into the month of `at`, and later times back to `at`. The clock was ahead. */
export function clampTimesOfMonths({ months: { used, open } }: { months: Months }, at: number): void {
  const month = utcMonth(at)
  for (const [later, usage] of [...used].filter(([of]) => of > month)) {
    used.delete(later)
    const into = ensureMonth({ used }, month)
    into.requests += usage.requests
    into.spentMicroeur += usage.spentMicroeur
    into.reservedMicroeur += usage.reservedMicroeur
  }
  for (const chat of open.values()) chat.at = Math.min(chat.at, at)
}

/** Replaces the reservation by the cost, in the month in which the request was admitted. */
function settle({ used, open }: Months, position: number, costMicroeur: number): void {
  const chat = open.get(position)
  if (chat === undefined) return
  open.delete(position)
  const usage = ensureMonth({ used }, utcMonth(chat.at))
  usage.reservedMicroeur -= chat.microeur
  usage.spentMicroeur += costMicroeur
}

function ensureMonth({ used }: Pick<Months, 'used'>, month: number): MonthUsage {
  const known = used.get(month)
  if (known !== undefined) return known
  const usage = { requests: 0, spentMicroeur: 0, reservedMicroeur: 0 }
  used.set(month, usage)
  return usage
}
