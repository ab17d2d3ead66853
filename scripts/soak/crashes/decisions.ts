// What an organisation's entries say: its decisions about chat requests, and how each of them was settled.
import { z } from 'zod'
import { readReceiptEntry } from '../../../src/attestation/receipt-entry.ts'
import type { UnsignedRecord } from '../../../src/attestation/record.ts'
import type { Books } from './books.ts'

type Facts = NonNullable<Books['entries'][number]['facts']>

export type WrittenDecision = { position: number; record: UnsignedRecord; facts: Facts }
export type WrittenSettlement = { position: number; settles: number; ended: string; costMicroeur: number }

const SETTLEMENT_TAG = 0x80
const RECEIPT_TAG = 0x00
/** Of an entry that is no receipt: its tag and 16 random bytes. */
const BEFORE_CONTENT = 17

const SettlementSchema = z.object({ settles: z.int(), ended: z.string(), cost_microeur: z.int() })

const read = new WeakMap<Books, readonly WrittenDecision[]>()

/** Entries that begin as receipts do and are none are left out: that is a fault of its own. */
export function decisionsIn(books: Books): readonly WrittenDecision[] {
  const decisions = read.get(books) ?? readDecisions(books)
  read.set(books, decisions)
  return decisions
}

function readDecisions({ entries }: Books): WrittenDecision[] {
  return entries.flatMap(({ position, entry, facts }) => {
    const record = readReceiptEntry(entry)
    return record === null || facts === null ? [] : [{ position, record, facts }]
  })
}

export const positionsOfReceipts = ({ entries }: Books): number[] =>
  entries.filter(({ entry }) => entry[0] === RECEIPT_TAG).map(({ position }) => position)

export function settlementsIn({ entries }: Books): WrittenSettlement[] {
  return entries
    .filter(({ entry }) => entry[0] === SETTLEMENT_TAG)
    .map(({ position, entry }) => {
      const text = new TextDecoder().decode(entry.subarray(BEFORE_CONTENT))
      const { settles, ended, cost_microeur: costMicroeur } = SettlementSchema.parse(JSON.parse(text))
      return { position, settles, ended, costMicroeur }
    })
}

/** Allowed decisions that no settlement ends, with what each reserved. */
export function openIn(books: Books): Map<number, number> {
  const settled = new Set(settlementsIn(books).map(({ settles }) => settles))
  return new Map(
    decisionsIn(books)
      .filter(({ position, record }) => record.outcome === 'ALLOWED' && !settled.has(position))
      .map(({ position, facts }) => [position, facts.reserve_microeur]),
  )
}
