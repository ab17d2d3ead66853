// What an organisation's object gives away of itself when its data is exported: that it is, in one turn, and then page by page
// what it has. Pages may be asked for again.
import { contentTextOf } from '../../evidence/entry.ts'
import { RECEIPT_KIND } from '../../evidence/entry-tags.ts'
import type { EntriesPage, EntriesRange } from '../journal/archive.ts'
import { appendAct, type Act } from '../acts.ts'
import type { Journal } from '../journal/journal.ts'
import { listMonths, type UsedMonth } from '../journal/state/months.ts'
import { listDays, type DayCost } from '../journal/state/readings.ts'
import type { State } from '../journal/state/state.ts'
import type { ExportsStore } from './exports.store.ts'

/** `position`: of the entry that tells of the export, the last that it has. */
export type ExportBegun = { outcome: 'begun'; position: number } | { outcome: 'too_many'; retryAfterSeconds: number }

/** `receiptsOnly`: without entries of any other kind. */
export type WantedEntries = EntriesRange & { receiptsOnly: boolean }

/** An entry that is kept. Texts are JSON as it is in the ledger: the canonical one. */
export type ExportedEntry = {
  position: number
  kind: string
  at: number
  /** 64 hexadecimal digits. */
  leafHash: string
  /** The random bytes between tag and content, in hexadecimal digits; null for a receipt, which has none. */
  salt: string | null
  content: string
  /** What is known beside the entry, which its leaf does not cover. */
  facts: string | null
}

export type ExportedEntries = Omit<EntriesPage, 'entries'> & { entries: ExportedEntry[] }

export type Usage = { months: UsedMonth[]; days: DayCost[] }

type Stores = { exports: ExportsStore; journal: Journal }

export function beginExport({ exports, journal }: Stores, act: Act, now: number): ExportBegun {
  const refused = exports.count(act.actor, now)
  if (refused === null) return { outcome: 'begun', position: appendAct(journal, act, now) }
  return { outcome: 'too_many', retryAfterSeconds: Math.max(1, Math.ceil((refused.retryAt - now) / 1000)) }
}

export const readUsage = ({ months, readings }: State): Usage => ({
  months: listMonths(months),
  days: listDays(readings),
})

export function presentEntries(page: EntriesPage, { receiptsOnly }: WantedEntries): ExportedEntries {
  const entries = page.entries.map(presentEntry)
  return { ...page, entries: receiptsOnly ? entries.filter(isReceipt) : entries }
}

const isReceipt = ({ kind, salt }: ExportedEntry): boolean => kind === RECEIPT_KIND && salt === null

function presentEntry({ position, kind, at, entry, facts, leafHash }: EntriesPage['entries'][number]): ExportedEntry {
  const { content, salt } = contentTextOf(entry)
  return { position, kind, at, leafHash: leafHash.toHex(), salt, content, facts }
}
