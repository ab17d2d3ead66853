// Each group beside the reference: what is between their rates, with the intervals, and the verdict.
import { Table, type Column } from '../../parts/table.view.tsx'
import { formatNumber, formatPercent } from '../../text/format.ts'
import { formatP, VERDICTS, withInterval, type Comparison } from './bias-words.ts'

type Given = {
  caption: string
  comparisons: readonly Comparison[]
  /** What a group is called. */
  nameOf?: (group: string) => string
}

export function ComparisonTable({ caption, comparisons, nameOf = (group) => group }: Given) {
  const columns: readonly Column<Comparison>[] = [
    { name: 'Group', cell: ({ group, reference }) => `${nameOf(group)}, beside ${nameOf(reference)}` },
    {
      name: 'Verdict',
      cell: ({ verdict }) => <span class={`badge ${VERDICTS[verdict].look}`}>{verdict}</span>,
    },
    {
      name: 'Difference of the rates',
      isNumber: true,
      cell: ({ difference, difference_interval: interval }) => withInterval(difference, interval, formatPercent),
    },
    {
      name: 'Ratio, favourable',
      isNumber: true,
      cell: ({ ratio, ratio_interval: interval }) => withInterval(ratio, interval, formatNumber),
    },
    {
      name: 'Ratio, not favourable',
      isNumber: true,
      cell: ({ unfavourable_ratio: ratio, unfavourable_ratio_interval: interval }) =>
        withInterval(ratio, interval, formatNumber),
    },
    { name: 'p, adjusted', isNumber: true, cell: ({ p_adjusted }) => formatP(p_adjusted) },
  ]
  return <Table caption={caption} columns={columns} rows={comparisons} keyOf={({ group }) => group} />
}
