// An export of audit entries as a table (CSV): a row for each leaf. It carries no proof.
import { contentTextOf } from '../../evidence/entry.ts'
import type { ReadLeaf } from '../../organisation/audit/leaf-reader.ts'
import { csv } from '../../platform/download.ts'

const COLUMNS = ['index', 'kind', 'at', 'leaf_hash', 'withheld', 'salt', 'content', 'facts']

export const tableHead = (): string => csv([COLUMNS])

export function leafRow(leaf: ReadLeaf): string[] {
  const [index, hash] = [String(leaf.index), leaf.leafHash.toHex()]
  if ('withheld' in leaf) return [index, '', '', hash, leaf.withheld, '', '', '']
  const { kind, at, entry, facts } = leaf.entry
  const { content, salt } = contentTextOf(entry)
  return [index, kind, new Date(at).toISOString(), hash, '', salt ?? '', content, facts ?? '']
}

/** The last row, which shows that the table is complete. `nextCursor`: the position where the next export continues. */
export const tableEnd = (entries: number, withheld: number, nextCursor: string | null): string =>
  csv([['complete', String(entries), String(withheld), nextCursor ?? '', '', '', '', '']])
