// The second turn of a reading: how it ended and what it cost, written before it is answered. It names the entry that
// was written before any text left, and puts the cost in place of what was reserved.
import type { EntryContent } from '../../evidence/entry.ts'
import { assertMicroeur } from '../../policies/budget.policy.ts'
import type { Journal } from '../journal/journal.ts'
import {
  findOpenReading,
  listAbandonedReadings,
  listOpenReadings,
  type OpenReading,
} from '../journal/state/readings.ts'

/** Facts about how the readers did. Never a text, nor what was read in it. */
export type SettleRequest = { keyId: string; position: number; costMicroeur: number; content: EntryContent }

/** `not_open`: no reading is waiting at this position. */
export type Settlement = { outcome: 'settled'; position: number } | { outcome: 'not_open' }

/** The most abandoned readings that one turn settles; the alarm then goes off again at once. */
const SETTLED_AT_ONCE = 500

/** Throws RangeError where a cost is not a whole number of micro-euro. */
export function settleReading(journal: Journal, request: SettleRequest, now: number): Settlement {
  const { keyId, position: settles, costMicroeur, content } = request
  assertMicroeur(costMicroeur)
  if (findOpenReading(journal.state.readings, settles)?.keyId !== keyId) return { outcome: 'not_open' }
  const told = { ...content, key_id: keyId, settles, cost_microeur: costMicroeur }
  const fields = { outcome: 'settled', microeur: costMicroeur, settles }
  return { outcome: 'settled', position: journal.append({ kind: 'settlement', content: told, fields }, now) }
}

/** Settles as interrupted each reading that nothing else will settle any more. Harmless to run twice. */
export function settleInterrupted(journal: Journal, now: number): void {
  appendInterrupted(journal, listAbandonedReadings(journal.state.readings, journal.at(now).at, SETTLED_AT_ONCE), now)
}

/** The same of readings that are open, however young. False while there are more: they are taken in steps. */
export function settleOpenReadings(journal: Journal, now: number): boolean {
  const open = listOpenReadings(journal.state.readings, SETTLED_AT_ONCE)
  appendInterrupted(journal, open, now)
  return open.length < SETTLED_AT_ONCE
}

/** Keeps the reserved amount as the cost, because the true cost is unknown. */
function appendInterrupted(journal: Journal, readings: readonly Readonly<OpenReading>[], now: number): void {
  for (const { position: settles, keyId, microeur } of readings) {
    const content = { key_id: keyId, settles, outcome: 'interrupted', cost_microeur: microeur }
    journal.append({ kind: 'settlement', content, fields: { outcome: 'interrupted', microeur, settles } }, now)
  }
}
