// What a report tells of calls: how they ended and what they cost, by day, model and use case; approvals and retention.
import type { ComplianceReport } from '../../../reports/report/report.schema.ts'
import { BarChart } from '../../charts/bar-chart.view.tsx'
import { sayOverTime } from '../../charts/sentences.ts'
import { Facts, type Fact } from '../../parts/facts.view.tsx'
import { Table, type Column } from '../../parts/table.view.tsx'
import { formatDay, formatEuro, formatNumber, plural } from '../../text/format.ts'
import { inWords } from '../evidence/words.ts'

type Usage = ComplianceReport['usage']
type Row = { name: string | null } & Omit<Usage['by_day'][number], 'date'>

const COLUMNS: readonly Column<Row>[] = [
  { name: 'Name', cell: ({ name }) => name ?? 'none declared' },
  { name: 'Requests', isNumber: true, cell: ({ requests }) => formatNumber(requests) },
  { name: 'Blocked', isNumber: true, cell: ({ blocked }) => formatNumber(blocked) },
  { name: 'Suppressed', isNumber: true, cell: ({ suppressed }) => formatNumber(suppressed) },
  { name: 'Failed', isNumber: true, cell: ({ failed }) => formatNumber(failed) },
  { name: 'Cost', isNumber: true, cell: ({ cost_eur }) => formatEuro(cost_eur) },
]

export function ReportUsage({ report: { usage, approvals, retention } }: { report: ComplianceReport }) {
  const points = usage.by_day.map(({ date, requests }) => ({ name: formatDay(date), values: [requests] }))
  return (
    <section class="stack" aria-labelledby="usage">
      <h3 id="usage">Use of models</h3>
      <BarChart
        title="Requests"
        summary={sayOverTime({
          total: plural(usage.totals.requests, 'request'),
          points,
          pointName: 'day',
          format: formatNumber,
        })}
        pointName="Day"
        marks={[{ name: 'Requests', style: 1 }]}
        points={points}
        format={formatNumber}
      />
      <Facts facts={Object.entries(usage.totals).map(totalOf)} />
      <Table isGrid caption="By model" columns={COLUMNS} rows={usage.by_model} keyOf={({ name }) => name ?? ''} />
      <Table isGrid caption="By use case" columns={COLUMNS} rows={usage.by_use_case} keyOf={({ name }) => name ?? ''} />
      <h3>Approvals</h3>
      <Facts facts={Object.entries(approvals).map(([name, count]) => [inWords(name), formatNumber(count)])} />
      <h3>Retention</h3>
      <Facts
        facts={[
          ['Tier', retention.tier],
          ['Details are kept', plural(retention.details_days, 'day')],
          ['Content is kept', retention.content_logging ? plural(retention.content_days ?? 0, 'day') : 'not at all'],
          ['Jurisdiction', retention.jurisdiction],
          [
            'Erasures',
            `${formatNumber(retention.erasures.asked)} asked for, ${formatNumber(retention.erasures.done)} done, ${formatNumber(retention.erasures.overdue)} overdue`,
          ],
        ]}
      />
    </section>
  )
}

const totalOf = ([name, value]: [string, number]): Fact =>
  name.endsWith('_eur') ? [inWords(name.slice(0, -4)), formatEuro(value)] : [inWords(name), formatNumber(value)]
