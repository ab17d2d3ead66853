// What was unusual in the days asked for, with what people state about it.
import { Empty } from '../../parts/empty.view.tsx'
import { StatementNote } from '../statements/statement-note.view.tsx'
import { anomalyKey, anomalyName, AnomalyTable, sinceText } from './anomaly-table.view.tsx'
import type { Given } from './comparisons.view.tsx'

export function FoundAnomalies({ session, detection: { anomalies }, statements, nameOf, keyNames }: Given) {
  const seriesName = (series: string): string =>
    series.startsWith('key:') ? `key ${keyNames.get(series.slice(4)) ?? series.slice(4)}` : series.replace(':', ' ')
  return (
    <section class="stack" aria-labelledby="anomalies">
      <h2 id="anomalies">Anomalies</h2>
      <p>
        Rates of calls that failed, were blocked, suppressed or refused, and figures of a day, that are far from what is
        usual. Each is a reason to look, not a fault; a person who has looked says so by a statement.
      </p>
      {anomalies.length === 0 ? (
        <Empty
          title="Nothing unusual began in these days"
          line={`curl "${location.origin}/api/compliance/bias-detection" -H "authorization: Bearer $MANAGEMENT_KEY"`}
        >
          A rate is watched once 28 days have 500 calls on seven days; a figure of a day once 14 of them have 50 calls.
          What is found is here, with what was expected and what was seen.
        </Empty>
      ) : (
        <>
          <AnomalyTable session={session} anomalies={anomalies} seriesName={seriesName} />
          {anomalies.map((anomaly) => (
            <div key={anomalyKey(anomaly)} class="card stack">
              <h3>
                {anomalyName(anomaly, seriesName)}, since {sinceText(anomaly.since)}
              </h3>
              <StatementNote
                session={session}
                statements={statements}
                subject={`anomaly:${anomalyKey(anomaly)}`}
                what={`the anomaly of ${anomaly.series} since ${anomaly.since}`}
                nameOf={nameOf}
              />
            </div>
          ))}
        </>
      )}
    </section>
  )
}
