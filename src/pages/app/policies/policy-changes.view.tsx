// Shows what a change of the policy changes: in words, and the exact values.
import type { PolicyChange } from '../../../policies/document/policy-changes.ts'
import { Table, type Column } from '../../parts/table.view.tsx'
import { wordsOfPath } from './policy-draft.ts'
import { spacedJson, wordsOfChanges } from './rule-words.ts'
import { Facts } from '../../parts/page-blocks.view.tsx'

export const ChangeWords = ({ changes }: { changes: readonly PolicyChange[] }) => (
  <Facts facts={wordsOfChanges(changes).map(({ title, sentences }) => [<b>{title}</b>, sentences.join('. ')])} />
)

export const ExactChanges = ({ changes }: { changes: readonly PolicyChange[] }) => (
  <details>
    <summary>Exact values</summary>
    <Table
      caption="What changes, exactly"
      isCaptionHidden
      columns={COLUMNS}
      rows={changes}
      keyOf={({ path }) => path}
    />
  </details>
)

const COLUMNS: readonly Column<PolicyChange>[] = [
  { name: 'Member', cell: ({ path }) => <code>{wordsOfPath(path)}</code> },
  { name: 'Change', cell: ({ change }) => change },
  { name: 'Before', cell: ({ change, before }) => (change === 'added' ? 'not there' : <Value of={before} />) },
  { name: 'After', cell: ({ change, after }) => (change === 'removed' ? 'not there' : <Value of={after} />) },
]

const Value = ({ of }: { of: unknown }) => <code>{spacedJson(of)}</code>
