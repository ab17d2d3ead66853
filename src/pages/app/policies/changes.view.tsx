// What one policy says otherwise than another, member by member.
import type { findPolicyChanges } from '../../../policies/document/policy-changes.ts'
import { Table, type Column } from '../../parts/table.view.tsx'
import { wordsOfPath } from './path-words.ts'

export type Change = ReturnType<typeof findPolicyChanges>[number]

export function Changes({ changes, caption }: { changes: readonly Change[]; caption: string }) {
  return <Table caption={caption} isCaptionHidden columns={COLUMNS} rows={changes} keyOf={({ path }) => path} />
}

const COLUMNS: readonly Column<Change>[] = [
  { name: 'Member', cell: ({ path }) => <code>{wordsOfPath(path)}</code> },
  { name: 'Change', cell: ({ change }) => change },
  { name: 'Before', cell: ({ change, before }) => (change === 'added' ? 'not there' : <Value of={before} />) },
  { name: 'After', cell: ({ change, after }) => (change === 'removed' ? 'not there' : <Value of={after} />) },
]

/** With spaces, at which a long one goes on in the next line. */
const Value = ({ of }: { of: unknown }) => <code>{JSON.stringify(of, null, 1).replaceAll(/\n */g, ' ')}</code>
