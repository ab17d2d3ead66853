// What was unusual: when, what was expected, what was seen, and the calls of those days.
import type { z } from 'zod'
import type { AnomalySchema } from '../../../management/bias/bias.schema.ts'
import { inOrganisation, type Session } from '../../api/session.ts'
import { Table, type Column } from '../../parts/table.view.tsx'
import { formatDay, formatNumber } from '../../text/format.ts'
import { inWords } from '../evidence/words.ts'
import { anomalyValue } from './bias-words.ts'

/** As a report has it: whatever kinds its version knew. */
export type Anomaly = Omit<z.infer<typeof AnomalySchema>, 'kind'> & { kind: string }

type Given = {
  session: Session
  anomalies: readonly Anomaly[]
  seriesName?: (series: string) => string
}

/** “failed rate of model gpt-4.1-mini”. */
export const anomalyName = ({ kind, series }: Anomaly, seriesName: (series: string) => string): string =>
  `${inWords(kind)} of ${series === 'all' ? 'all calls' : seriesName(series)}`

export const anomalyKey = ({ kind, series, since }: Anomaly): string => `${kind}:${series}:${since}`

export function AnomalyTable({ session, anomalies, seriesName = (series) => series }: Given) {
  const columns: readonly Column<Anomaly>[] = [
    { name: 'What', cell: (anomaly) => anomalyName(anomaly, seriesName) },
    { name: 'Since', cell: ({ since }) => sinceText(since) },
    { name: 'Expected', isNumber: true, cell: ({ kind, baseline }) => anomalyValue(kind, baseline) },
    { name: 'Seen', isNumber: true, cell: ({ kind, value }) => anomalyValue(kind, value) },
    {
      name: 'Statistic, threshold',
      isNumber: true,
      cell: ({ statistic, threshold }) => `${formatNumber(statistic)}, ${formatNumber(threshold)}`,
    },
    {
      name: 'Calls',
      cell: (anomaly) => <a href={inOrganisation(session, auditAddress(anomaly))}>In the audit trail</a>,
    },
  ]
  return <Table caption="What was unusual" columns={columns} rows={anomalies} keyOf={anomalyKey} />
}

/** An hour of a rate, a day of all else. UTC. */
export const sinceText = (since: string): string =>
  since.length > 10 ? `${formatDay(since.slice(0, 10))}, ${since.slice(11, 16)} UTC` : formatDay(since)

const DAY_MS = 86_400_000
const WATCHED_DAYS = 7

/** The calls of the series, from then until the end of the week that it is watched in. */
function auditAddress({ series, since }: Anomaly): string {
  const from = since.slice(0, 10)
  const to = new Date(Date.parse(from) + (WATCHED_DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
  const at = series.indexOf(':')
  const name = series.slice(at + 1)
  const member = { key: 'key', model: 'model', use_case: 'use_case' }[series.slice(0, Math.max(0, at))]
  const narrowed = member === undefined || name === UNNAMED ? {} : { [member]: name }
  return `/app/audit?${new URLSearchParams({ from, to, ...narrowed }).toString()}`
}

/** Calls that name no key or use case: nothing narrows a trail down to them. */
const UNNAMED = '(none)'
