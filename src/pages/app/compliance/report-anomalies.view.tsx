// The anomalies that a compliance report found.
import type { ComplianceReport } from '../../../reports/report/report.schema.ts'
import { columnsOf } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { Soft } from '../../parts/layout.view.tsx'
import { formatDay, formatMinute, formatNumber } from '../../text/format.ts'
import { anomalyKey, anomalyTitle, callsPathOf, valueFormat, type Anomaly } from '../anomalies/anomaly-words.ts'
import { AlsoSeen } from '../anomalies/bias-tables.view.tsx'
import { inOrganisation } from '../session.ts'
import { useView } from '../use-view.ts'

const anomaly = columnsOf<Anomaly>()

/** A report names keys by their ids, as the list of its time did. */
const titleOf = (of: Anomaly): string => anomalyTitle(of, String)

const valueColumn = (id: 'baseline' | 'value', head: string, phone: 'line' | 'line-end') =>
  anomaly.own({
    id,
    head,
    kind: 'number',
    phone,
    phoneWord: head,
    cell: (of) => valueFormat(of)(of[id]),
    plain: (of) => String(of[id]),
  })

const ANOMALY_COLUMNS = [
  anomaly.own({
    id: 'what',
    head: 'What',
    kind: 'name',
    cell: (of) => (
      <>
        <a href={inOrganisation(callsPathOf(of))}>{titleOf(of)}</a>
        <AlsoSeen anomaly={of} keyName={String} />
      </>
    ),
    plain: titleOf,
  }),
  anomaly.own({
    id: 'since',
    head: 'Since',
    kind: 'moment',
    phone: 'title-end',
    cell: ({ since }, { isLocal }) => (since.length > DAY ? formatMinute(since, isLocal) : formatDay(since)),
    plain: ({ since }) => since,
  }),
  valueColumn('baseline', 'Expected', 'line'),
  valueColumn('value', 'Seen', 'line-end'),
  anomaly.own({
    id: 'statistic',
    head: 'Statistic, threshold',
    kind: 'figure',
    phone: 'quiet',
    phoneWord: 'Statistic, threshold',
    cell: ({ statistic, threshold }) => `${formatNumber(statistic)}, ${formatNumber(threshold)}`,
    plain: ({ statistic, threshold }) => `${statistic}, ${threshold}`,
  }),
]

const DAY = 'YYYY-MM-DD'.length

export const ReportAnomalies = ({ anomalies }: Pick<ComplianceReport, 'anomalies'>) => (
  <DataGrid
    label="What was unusual"
    noun="anomaly"
    nouns="anomalies"
    columns={ANOMALY_COLUMNS}
    rows={anomalies ?? []}
    keyOf={anomalyKey}
    view={useView()}
    empty={
      <Soft as="p">
        {anomalies === null ? 'The tier has no bias detection: nobody has looked for any.' : 'None was found.'}
      </Soft>
    }
  />
)
