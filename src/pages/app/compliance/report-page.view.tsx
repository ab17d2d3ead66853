// One report: to read, to print, and to save as it is signed.
import type { Session } from '../../api/session.ts'
import { Command } from '../../parts/command.view.tsx'
import { Exact } from '../../parts/exact.view.tsx'
import { Facts } from '../../parts/facts.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { OpenLink } from '../../parts/open-link.view.tsx'
import { Refusal } from '../../parts/refusal.view.tsx'
import { SaveButton } from '../../parts/save-button.view.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { formatDay, formatNumber } from '../../text/format.ts'
import { fileIn } from '../call-in.ts'
import { PrintSource } from '../evidence/print-source.view.tsx'
import { ReportControls } from './report-controls.view.tsx'
import { ReportFindings } from './report-findings.view.tsx'
import { ReportUsage } from './report-usage.view.tsx'
import { ScoreFigure } from './score-figure.view.tsx'
import { useReport, type ReportRead } from './use-report.ts'

export function ReportPage({ session, id }: { session: Session; id: string }) {
  const [loaded, again] = useReport(session, id)
  return (
    <>
      <p class="no-print">
        <OpenLink change={{ report: '' }}>The checklist and all reports</OpenLink>
      </p>
      {loaded.state === 'loading' && <Skeleton lines={40} />}
      {loaded.state === 'refused' && <Refusal problem={loaded.problem} onRetry={again} />}
      {loaded.state === 'answered' && <Report session={session} read={loaded.body} />}
    </>
  )
}

function Report({ session, read: { report, content, sha256 } }: { session: Session; read: ReportRead }) {
  const { id, start, end, organisation } = report
  const name = `countersign-report-${start}-${end}`
  return (
    <article class="stack-l" aria-labelledby="report">
      <header class="stack">
        <h2 id="report">
          Compliance report of {organisation.name}, {formatDay(start)} to {formatDay(end)}
        </h2>
        {report.demo && <p class="notice warn">Invented data: this is a demonstration.</p>}
        <div class="row no-print">
          <SaveButton
            label="Save as PDF"
            ask={(onBytes) => fileIn(session, 'POST', '/api/compliance/export', { body: { report_id: id } }, onBytes)}
          />
          <button type="button" class="button" onClick={() => saveFile({ name: `${name}.json`, content })}>
            Save as JSON
          </button>
          <button type="button" class="button" onClick={() => print()}>
            Print
          </button>
        </div>
        <Facts
          facts={[
            ['Made', <Moment at={report.created_at} />],
            ['About the law as of', formatDay(report.law_as_of)],
            ['Checklist', report.checklist],
            ['Report', <Exact value={id} what="the id of the report" />],
          ]}
        />
        <p>
          It tells what this gateway has evidence of. It is no legal advice, no certificate, and no finding that a law
          is kept or broken.
        </p>
      </header>
      <section class="stack" aria-labelledby="report-score">
        <h3 id="report-score">The checklist</h3>
        <ScoreFigure score={report.score} controls={report.controls} />
        <ReportControls report={report} />
      </section>
      <ReportUsage report={report} />
      <ReportFindings session={session} report={report} />
      <HashOf sha256={sha256} report={report} name={name} />
      <PrintSource session={session} hash={sha256.found} what="the report’s canonical JSON" />
    </article>
  )
}

type HashGiven = Pick<ReportRead, 'sha256' | 'report'> & { name: string }

function HashOf({ sha256: { named, found }, report: { tree_head: head }, name }: HashGiven) {
  const isSame = named === found
  return (
    <section class="card stack" aria-labelledby="hash">
      <h3 id="hash">How to check this report</h3>
      <p role="status">
        <span class={`badge ${isSame ? 'good' : 'bad'}`}>{isSame ? 'same hash' : 'another hash'}</span>{' '}
        {isSame
          ? 'The SHA-256 of the bytes that came, worked out in this browser, is the one that the service names.'
          : 'The SHA-256 of the bytes that came is not the one that the service names. Load the page again; if it stays, tell the operator.'}
      </p>
      <Facts
        facts={[
          ['SHA-256, found here', <Exact value={found} what="the SHA-256" />],
          ['SHA-256, named by the service', named && <Exact value={named} what="the SHA-256 that the service names" />],
          ['Log', `${formatNumber(head.tree_size)} leaves when it was made`],
          ['Root', <Exact value={head.root_hash} what="the root hash" />],
          ['Head signed by', <Exact value={head.key_id} what="the id of the key" />],
        ]}
      />
      <p>
        The hash is an entry of the log (`compliance.report`): the export of the audit log proves it. Of the saved JSON
        it is
      </p>
      <Command line={`sha256sum ${name}.json`} />
    </section>
  )
}
