// Exports an organisation's data. `begin` counts and logs the export in one turn; the entries are then read page by page. A page
// may be read again.
import { contentTextOf } from '../../evidence/entry.ts'
import { RECEIPT_KIND } from '../../evidence/entry-tags.ts'
import { appendAct, type Act } from '../append-act.ts'
import { exportedFacts } from '../journal/archive-object.ts'
import type { EntriesPage, EntriesRange } from '../journal/archive.ts'
import { FeatureTarget } from '../feature.target.ts'
import type { Stores } from '../organisation-stores.ts'

/** `position`: the entry that records the export, which is the last one exported. */
export type ExportBegun = { outcome: 'begun'; position: number } | { outcome: 'too_many'; retryAfterSeconds: number }

/** `receiptsOnly`: omits entries of any other kind. */
export type ExportedEntriesQuery = EntriesRange & { receiptsOnly: boolean }

/** An entry that is still stored. Texts are the canonical JSON of the log. */
export type ExportedEntry = {
  position: number
  kind: string
  at: number
  /** 64 hexadecimal digits. */
  leafHash: string
  /** The random bytes between tag and content, in hexadecimal digits; null for a receipt, which has none. */
  salt: string | null
  content: string
  /** Facts stored beside the entry, which its leaf does not cover. */
  facts: string | null
}

export type ExportedEntries = Omit<EntriesPage, 'entries'> & { entries: ExportedEntry[] }

export class ExportTarget extends FeatureTarget<'stores' | 'turns' | 'archive'> {
  begin(act: Act): ExportBegun {
    const { stores, turns } = this.parts
    return turns.takeUntilClosed(() => beginExport(stores, act, Date.now()))
  }

  async readEntries({ receiptsOnly, ...range }: ExportedEntriesQuery): Promise<ExportedEntries> {
    const page = await this.parts.archive.readPage(range, Date.now())
    const entries = page.entries.map(presentEntry)
    return { ...page, entries: receiptsOnly ? entries.filter(isReceipt) : entries }
  }
}

/** Counts and logs an export, or refuses it if there were too many. Call it inside a turn. */
export function beginExport(
  { exports, journal }: Pick<Stores, 'exports' | 'journal'>,
  act: Act,
  now: number,
): ExportBegun {
  const refused = exports.count(act.actor, now)
  if (refused === null) return { outcome: 'begun', position: appendAct(journal, act, now) }
  return { outcome: 'too_many', retryAfterSeconds: Math.max(1, Math.ceil((refused.retryAt - now) / 1000)) }
}

const isReceipt = ({ kind, salt }: ExportedEntry): boolean => kind === RECEIPT_KIND && salt === null

function presentEntry({ position, kind, at, entry, facts, leafHash }: EntriesPage['entries'][number]): ExportedEntry {
  const { content, salt } = contentTextOf(entry)
  return { position, kind, at, leafHash: leafHash.toHex(), salt, content, facts: exportedFacts({ kind, facts }) }
}
