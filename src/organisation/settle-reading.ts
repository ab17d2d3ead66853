// The second turn of a reading: how it ended and what it cost, written before it is answered. It names the entry that
// was written before any text left, and puts the cost in place of what was reserved.
import type { CostsStore } from '../keys/costs.store.ts'
import type { EntryContent } from '../ledger/entry.ts'
import type { LedgerStore } from '../ledger/ledger.store.ts'

/** Facts about how the readers did. Never a text, nor what was read in it. */
export type SettleRequest = { keyId: string; position: number; costMicroeur: number; content: EntryContent }

/** `not_open`: no reading is waiting at this position. */
export type Settlement = { outcome: 'settled'; position: number } | { outcome: 'not_open' }

type Stores = { costs: CostsStore; ledger: LedgerStore }

export function settleReading({ costs, ledger }: Stores, request: SettleRequest, now: number): Settlement {
  const { keyId, position: settles, costMicroeur, content } = request
  if (!costs.settle({ position: settles, subject: keyId, microeur: costMicroeur })) return { outcome: 'not_open' }
  const entry = { ...content, key_id: keyId, settles, cost_microeur: costMicroeur }
  return { outcome: 'settled', position: ledger.appendEntry('settlement', entry, now) }
}

/** Says of each reading that nothing will settle any more that it was interrupted. Harmless to run twice. */
export function settleInterrupted({ costs, ledger }: Stores, now: number): void {
  appendInterrupted(ledger, costs.takeAbandoned(now), now)
}

/** The same of every reading that is open. */
export function settleOpenReadings({ costs, ledger }: Stores, now: number): void {
  appendInterrupted(ledger, costs.takeOpen(), now)
}

type Reading = { position: number; subject: string }

function appendInterrupted(ledger: LedgerStore, readings: readonly Reading[], now: number): void {
  for (const { position, subject } of readings) {
    ledger.appendEntry('settlement', { key_id: subject, settles: position, outcome: 'interrupted' }, now)
  }
}
