// What a report tells of comparisons, anomalies and the law.
import type { ComplianceReport } from '../../../reports/report/report.schema.ts'
import type { Session } from '../../api/session.ts'
import { Table } from '../../parts/table.view.tsx'
import { AnomalyTable } from '../anomalies/anomaly-table.view.tsx'
import { ComparisonTable } from '../anomalies/comparison-table.view.tsx'
import { GROUPING_WORDS } from '../anomalies/bias-words.ts'

type Given = { session: Session; report: ComplianceReport }

export function ReportFindings({ session, report: { bias, anomalies, law } }: Given) {
  return (
    <>
      <section class="stack" aria-labelledby="parity">
        <h3 id="parity">Comparison of groups</h3>
        {bias.length === 0 && <p class="soft">No groups were compared.</p>}
        {bias.map((one) => (
          <div key={`${one.by} ${one.outcome}`} class="stack">
            <ComparisonTable
              caption={`${one.outcome}, by ${GROUPING_WORDS[one.by]}: ${one.parity.verdict}`}
              comparisons={one.comparisons}
            />
            {one.cannot_show.map((sentence) => (
              <p key={sentence} class="small">
                {sentence}
              </p>
            ))}
          </div>
        ))}
        <h3>Anomalies</h3>
        {anomalies === null && <p class="soft">The tier has no bias detection: nobody has looked for any.</p>}
        {anomalies?.length === 0 && <p class="soft">None was found.</p>}
        {anomalies !== null && anomalies.length > 0 && <AnomalyTable session={session} anomalies={anomalies} />}
      </section>
      <section class="stack" aria-labelledby="law">
        <h3 id="law">The law</h3>
        {law.notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
        <Table
          caption="What each source expects to see"
          rows={law.sources}
          keyOf={({ source }) => source}
          columns={[
            { name: 'Source', cell: ({ source }) => source },
            { name: 'Expects', cell: ({ expects }) => expects },
            { name: 'Shown here', cell: ({ shows }) => shows },
            { name: 'Cannot be shown', cell: ({ cannot }) => cannot },
          ]}
        />
      </section>
    </>
  )
}
