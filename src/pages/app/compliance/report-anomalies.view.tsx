// The anomalies that a compliance report found.
import { useMemo } from 'preact/hooks'
import type { ComplianceReport } from '../../../reports/report/report.schema.ts'
import { columnsOf } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { Soft } from '../../parts/layout.view.tsx'
import { formatDay, formatMinute, formatNumber } from '../../text/format.ts'
import {
  anomalyKey,
  anomalyTitle,
  callsPathOf,
  valueFormat,
  type Anomaly,
  type KeyNameOf,
} from '../anomalies/anomaly-words.ts'
import { AlsoSeen } from '../anomalies/bias-tables.view.tsx'
import { inOrganisation } from '../session.ts'
import { useView } from '../use-view.ts'

const anomaly = columnsOf<Anomaly>()

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

const columnsFor = (keyName: KeyNameOf) => [
  anomaly.own({
    id: 'what',
    head: 'What',
    kind: 'name',
    cell: (of) => (
      <>
        <a href={inOrganisation(callsPathOf(of))}>{anomalyTitle(of, keyName)}</a>
        <AlsoSeen anomaly={of} keyName={keyName} />
      </>
    ),
    plain: (of) => anomalyTitle(of, keyName),
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
    phone: 'none',
    isOptional: true,
    cell: ({ statistic, threshold }) => `${formatNumber(statistic)}, ${formatNumber(threshold)}`,
    plain: ({ statistic, threshold }) => `${statistic}, ${threshold}`,
  }),
]

const DAY = 'YYYY-MM-DD'.length

type Props = Pick<ComplianceReport, 'anomalies'> & { keyName: KeyNameOf }

export const ReportAnomalies = ({ anomalies, keyName }: Props) => (
  <DataGrid
    label="What was unusual"
    noun="anomaly"
    nouns="anomalies"
    columns={useMemo(() => columnsFor(keyName), [])}
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
