// Shows one compliance report, and prints it or saves it as PDF or JSON. Compares the hash of the received bytes with the hash that
// the service states.
import { useLayoutEffect } from 'preact/hooks'
import { ENDINGS, findEnding, NOT_PASSED, outcomeName, SHOWN_OUTCOMES } from '../../../evidence/records/call-endings.ts'
import { GROUPING_TABLE } from '../../../platform/groupings.ts'
import { CAUSE_NAMES } from '../../../reports/controls/stated-cause.policy.ts'
import { Button } from '../../parts/button.view.tsx'
import type { ComplianceReport } from '../../../reports/report/report.schema.ts'
import type { Answer } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { BarChart } from '../../charts/bar-chart.view.tsx'
import { ParameterLink } from '../../parts/url-parameters.view.tsx'
import { CopyableText, CopyableValue } from '../../parts/copy-button.view.tsx'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { SaveButton, saveFile } from '../../parts/save-button.view.tsx'
import { figures, Table, type Column } from '../../parts/table.view.tsx'
import { Facts, type Fact, Section, Card, Sentences } from '../../parts/page-blocks.view.tsx'
import { Hash, Note, Pair, Row, Soft, Stack, Text, Title } from '../../parts/layout.view.tsx'
import { Quote, Remark } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { exactTime, Moment } from '../../parts/times.view.tsx'
import { formatDay, formatNumber, formatEuro, plural } from '../../text/format.ts'
import { tierName } from '../../text/id-labels.ts'
import { ComparisonTable, RESULTS } from '../anomalies/bias-tables.view.tsx'
import { PageHead } from '../frame/page-head.view.tsx'
import { PrintSource } from '../evidence/receipt.view.tsx'
import { capitalised, withSpaces } from '../../text/reword-text.ts'
import { fetchFile } from '../session.ts'
import { ControlBadge, ScoreFigure } from './checklist.view.tsx'
import { evidenceText, valueName, type EvidenceValues } from './evidence-words.ts'
import { inPageWords } from './page-words.ts'
import { ReportAnomalies } from './report-anomalies.view.tsx'

export function ReportPage({ id }: { id: string }) {
  const answer = useAnswer((signal) => readReport(id, signal), [id])
  useLayoutEffect(() => scrollTo(0, 0), [])
  return (
    <>
      <PageHead />
      <Text as="p" isOffPaper>
        <ParameterLink change={{ report: '' }}>The checklist and all reports</ParameterLink>
      </Text>
      <Answered answer={answer} lines={40}>
        {(read) => <Report read={read} />}
      </Answered>
    </>
  )
}

function Report({ read: { report, content, sha256 } }: { read: LoadedReport }) {
  const { id, start, end, organisation } = report
  const name = `countersign-report-${start}-${end}`
  return (
    <Stack as="article" gap={8} label="Compliance report">
      <PageHead
        lead={`What a report of ${formatDay(start)} to ${formatDay(end)}, made ${exactTime(report.created_at)}, found.`}
      />
      <Stack as="header" isCard>
        <Title>
          Compliance report of {organisation.name}, {formatDay(start)} to {formatDay(end)}
        </Title>
        {report.demo && <Remark tone="warn">Invented data: this is a demonstration.</Remark>}
        <ScoreFigure score={report.score} controls={report.controls} />
        <Note as="p">
          It tells what this gateway has evidence of. It is no legal advice, no certificate, and no finding that a law
          is kept or broken. Checklist {report.checklist}, law as of {formatDay(report.law_as_of)}.
        </Note>
        <Row isOffPaper align="start">
          <SaveButton
            look="first"
            label="Save as PDF"
            ask={(onBytes) => fetchFile('POST', '/api/compliance/export', { body: { report_id: id } }, onBytes)}
          />
          <Button onClick={() => saveFile({ name: `${name}.json`, content })}>Save as JSON</Button>
          <Button onClick={() => print()}>Print</Button>
        </Row>
        <ReportSummary report={report} />
      </Stack>
      <Section title="The checklist" level={3}>
        <ReportControls report={report} />
      </Section>
      <ReportUsage report={report} />
      <ReportFindings report={report} />
      <ReportHash sha256={sha256} report={report} name={name} />
      <PrintSource hash={sha256.found} what="the report’s canonical JSON" />
    </Stack>
  )
}

/** Shows what is to be decided, what changed since the last report, and the largest risks. */
const ReportSummary = ({ report: { decisions, trend, risks, score } }: { report: ComplianceReport }) => (
  <>
    <Section title="To be decided" level={3}>
      {decisions.length === 0 ? (
        <p>Nothing: no control fails.</p>
      ) : (
        <Table
          caption={`The days are a proposal of the service, not a term of law${otherText(score.failed - decisions.length)}`}
          rows={decisions}
          keyOf={({ control }) => control}
          columns={[
            { name: 'Control', cell: ({ control }) => control },
            { name: 'What', cell: ({ what }) => what },
            { name: 'Who', cell: ({ who }) => who.join(', ') },
            { name: 'By when', cell: ({ by }) => formatDay(by) },
          ]}
        />
      )}
    </Section>
    <Section title="Since the last report" level={3}>
      <p>{trendText(trend)}</p>
    </Section>
    <Section title="The three largest risks" level={3}>
      {risks.length === 0 ? (
        <p>
          No control fails. {formatNumber(score.coverage.with_data)} of {plural(score.coverage.controls, 'control')} had
          data.
        </p>
      ) : (
        <Sentences of={risks.map(({ control, text }) => `${control}: ${text}`)} />
      )}
    </Section>
  </>
)

/** A report has at most five decisions. The PDF says the same below them. */
const otherText = (count: number): string =>
  count > 0 ? `. The checklist below has ${plural(count, 'other control that fails', 'other controls that fail')}.` : ''

function trendText(trend: ComplianceReport['trend']): string {
  if (trend === null) return 'This is the first report: no earlier one is stored to compare it with.'
  const earlier = `the report of ${exactTime(trend.created_at)}`
  if (!trend.same_checklist) return `Not compared: ${earlier} used another version of the checklist.`
  const { percent_before: before, percent_now: now, now_passing: passing, now_failing: failing } = trend
  return `Compared with ${earlier}: score ${scoreText(before)} then, ${scoreText(now)} now. Now passing: ${passing.join(', ') || 'none'}. Now failing: ${failing.join(', ') || 'none'}.`
}

const scoreText = (percent: number | null): string => (percent === null ? 'none' : `${percent} percent`)

type HashProps = Pick<LoadedReport, 'sha256' | 'report'> & { name: string }

function ReportHash({ sha256: { named, found }, report: { id, tree_head: head }, name }: HashProps) {
  const isSame = named === found
  return (
    <Card title="How to check this report">
      <p role="status">
        <Badge tone={isSame ? 'good' : 'bad'}>{isSame ? 'same hash' : 'another hash'}</Badge>{' '}
        {isSame
          ? 'The SHA-256 of the bytes that came, worked out in this browser, is the one that the service names.'
          : 'The SHA-256 of the bytes that came is not the one that the service names. Load the page again; if it stays, tell the operator.'}
      </p>
      <Facts
        facts={[
          ['Report', <CopyableValue value={id} what="the id of the report" />],
          ['SHA-256, found here', <CopyableValue value={found} what="the SHA-256" />],
          [
            'SHA-256, named by the service',
            named && <CopyableValue value={named} what="the SHA-256 that the service names" />,
          ],
          ['Log', `${formatNumber(head.tree_size)} entries when it was made`],
          ['Root', <CopyableValue value={head.root_hash} what="the root hash" />],
          ['Head signed by', <CopyableValue value={head.key_id} what="the id of the key" />],
        ]}
      />
      <p>
        The hash is an entry of the log (<code>compliance.report</code>): the evidence file proves it. Of the saved JSON
        it is
      </p>
      <CopyableText line={`sha256sum ${name}.json`} />
    </Card>
  )
}

type LoadedReport = {
  report: ComplianceReport
  content: Blob
  /** SHA-256 in hexadecimal. `named`: stated by the service and in the log. `found`: computed from the received bytes. */
  sha256: { named: string | null; found: string }
}

/** Loads a stored report: its bytes, its content, the hash that the service states, and the hash of the received bytes. */
async function readReport(id: string, signal: AbortSignal): Promise<Answer<LoadedReport>> {
  const answer = await fetchFile('GET', `/api/compliance/report/${encodeURIComponent(id)}`, { signal })
  if (answer.outcome === 'refused') return answer
  const { headers } = answer
  const { content } = answer.body
  const bytes = await content.arrayBuffer()
  const found = hexOf(await crypto.subtle.digest('SHA-256', bytes))
  const named = /"([0-9a-f]{64})"/.exec(headers.get('etag') ?? '')?.[1] ?? null
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as in `sendRequest`
  const report = JSON.parse(new TextDecoder().decode(bytes)) as ComplianceReport
  return { outcome: 'answered', body: { report, content, sha256: { named, found } }, headers }
}

const hexOf = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Puts names in the place of the ids of keys and people. */
const named = (text: string, names: ComplianceReport['names']): string =>
  text.replaceAll(/[a-z]+_[0-9a-f-]{36}/g, (id) => names.find((one) => one.id === id)?.name ?? id)

/** Shows the report's controls, how to make the failing ones pass, statements, and what a report cannot show. */
const ReportControls = ({ report: { controls, statements, cannot_show, names } }: { report: ComplianceReport }) => (
  <>
    <Table
      caption="Every control"
      rows={controls}
      keyOf={({ id }) => id}
      columns={[
        { name: 'Control', cell: ({ id, title }) => `${id} ${title}` },
        { name: 'State', cell: ({ state }) => <ControlBadge state={state} /> },
        figures<ComplianceReport['controls'][number]>('Weight', ({ weight }) => weight, true),
        {
          name: 'Why, and the evidence',
          cell: (control) => (
            <>
              {inPageWords(control.state === 'fail' ? control.would_pass : (control.reason ?? ''))}
              {control.evidence.values !== null && (
                <details>
                  <summary>Evidence</summary>
                  <p>{inPageWords(control.evidence.query)}</p>
                  <Note as="p">{named(valuesText(control.evidence.values), names)}</Note>
                </details>
              )}
            </>
          ),
        },
      ]}
    />
    <Card title="Explanations">
      {statements.length === 0 && <Nothing>None.</Nothing>}
      {statements.map(({ subject, text, looked_at, cause, stated_by, stated_at }) => (
        <Quote
          key={subject}
          title={<Hash>{named(subject, names)}</Hash>}
          by={
            <>
              By {names.find(({ id }) => id === stated_by)?.name ?? 'a former member'}, <Moment at={stated_at} />. It
              never raises the score.
            </>
          }
        >
          {cause !== null && <p>Cause: {CAUSE_NAMES[cause].toLowerCase()}.</p>}
          <Text as="p" isAsWritten>
            {text}
          </Text>
          <p>Looked at: {looked_at}</p>
        </Quote>
      ))}
    </Card>
    <Card title="What this cannot show">
      <Sentences isInColumns of={cannot_show.map(inPageWords)} />
    </Card>
  </>
)

const Nothing = ({ children }: { children: string }) => <Soft as="p">{children}</Soft>

const valuesText = (values: EvidenceValues): string =>
  Object.entries(values)
    .map(([name, value]) => `${valueName(name)}: ${evidenceText(name, value) ?? 'none'}`)
    .join('; ')

const ReportFindings = ({ report: { bias, anomalies, law, names } }: { report: ComplianceReport }) => (
  <>
    <Section title="Comparison of groups" level={3}>
      {bias.length === 0 ? (
        <Nothing>No groups were compared.</Nothing>
      ) : (
        <>
          <Sentences of={bias.map(comparisonText)} />
          <details>
            <summary>The numbers, and what a comparison cannot show</summary>
            <Stack>
              {bias.map((one) => (
                <ComparisonTable
                  key={`${one.by} ${one.outcome}`}
                  caption={comparisonText(one)}
                  comparisons={one.comparisons}
                  groups={one.groups}
                  nameOf={(group) => named(group, names)}
                />
              ))}
              <Sentences isInColumns of={[...new Set(bias.flatMap(({ cannot_show: limits }) => limits))]} />
            </Stack>
          </details>
        </>
      )}
    </Section>
    <Section title="Anomalies" level={3}>
      <ReportAnomalies anomalies={anomalies} keyName={(id) => named(id, names)} />
    </Section>
    <Section title="The law" level={3}>
      <details>
        <summary>Dates, limits, and what each source expects to see</summary>
        <Stack>
          <Sentences isInColumns of={law.notes} />
          <Table
            caption="What each source expects to see"
            isCaptionHidden
            rows={law.sources}
            keyOf={({ source }) => source}
            columns={[
              { name: 'Source', cell: ({ source }) => source },
              { name: 'Expects', cell: ({ expects }) => expects },
              { name: 'Shown here', cell: ({ shows }) => shows },
              { name: 'Cannot be shown', cell: ({ cannot }) => cannot },
            ]}
          />
        </Stack>
      </details>
    </Section>
  </>
)

const comparisonText = ({ outcome, by, parity }: ComplianceReport['bias'][number]): string =>
  `${capitalised(outcome)}, by ${GROUPING_TABLE[by].name}: ${RESULTS[parity.verdict].name}`

type Usage = ComplianceReport['usage']
type Row = { name: string | null } & Omit<Usage['by_day'][number], 'date'>

const COLUMNS: readonly Column<Row>[] = [
  { name: 'Name', cell: ({ name }) => name ?? 'none declared' },
  figures('Requests', ({ requests }) => formatNumber(requests)),
  ...NOT_PASSED.map((shown) => figures<Row>(outcomeName(shown), (row) => formatNumber(row[shown] ?? 0))),
  figures('Cost', ({ cost_eur }) => formatEuro(cost_eur)),
]

/** Shows calls by day, model and use case, with their outcome and cost; approvals and retention. */
function ReportUsage({ report: { usage, approvals, retention } }: { report: ComplianceReport }) {
  const points = usage.by_day.map(({ date, requests }) => ({ name: formatDay(date), values: [requests] }))
  const totals = inOrder(usage.totals).map(totalOf)
  const half = Math.ceil(totals.length / 2)
  return (
    <Section title="Use of models" level={3}>
      <BarChart
        title="Requests"
        total={plural(usage.totals.requests, 'request')}
        pointName="Day"
        marks={[{ name: 'Requests', style: 1 }]}
        points={points}
        format={formatNumber}
      />
      <Card title="In all">
        <Pair>
          <Facts facts={totals.slice(0, half)} />
          <Facts facts={totals.slice(half)} />
        </Pair>
      </Card>
      <Table isGrid caption="By model" columns={COLUMNS} rows={usage.by_model} keyOf={({ name }) => name ?? ''} />
      <Table isGrid caption="By use case" columns={COLUMNS} rows={usage.by_use_case} keyOf={({ name }) => name ?? ''} />
      <Pair>
        <Card title="Approvals">
          <Facts
            facts={inOrder(approvals).map(([name, count]) => [capitalised(withSpaces(name)), formatNumber(count)])}
          />
        </Card>
        <Card title="Retention">
          <Facts
            facts={[
              ['Tier', tierName(retention.tier)],
              ['Details are kept', plural(retention.details_days, 'day')],
              [
                'Content is kept',
                retention.content_logging ? plural(retention.content_days ?? 0, 'day') : 'not at all',
              ],
              ['Jurisdiction', retention.jurisdiction],
              [
                'Erasures',
                `${formatNumber(retention.erasures.asked)} asked for, ${formatNumber(retention.erasures.done)} done, ${formatNumber(retention.erasures.overdue)} overdue`,
              ],
            ]}
          />
        </Card>
      </Pair>
    </Section>
  )
}

/** The order of totals and approvals, each sum before its parts: a stored report has its members by the alphabet. */
const FIRST = ['requests', 'asked', 'approved', 'executed']
const LAST = ['pending', 'in_flight', 'refused', 'input_tokens', 'output_tokens', 'cost_eur', 'cost_prevented_eur']
const ORDER: readonly string[] = [
  ...FIRST,
  ...SHOWN_OUTCOMES.flatMap((of) => [of, ...ENDINGS.filter(({ shown }) => shown === of.name)].map(({ name }) => name)),
  ...LAST,
  'cost_estimated_requests',
]

const inOrder = <Value,>(counts: Readonly<Record<string, Value>>): [string, Value][] =>
  Object.entries(counts).toSorted(([one], [other]) => ORDER.indexOf(one) - ORDER.indexOf(other))

const totalOf = ([name, value = 0]: [string, number | undefined]): Fact =>
  name.endsWith('_eur')
    ? [capitalised(withSpaces(name.slice(0, -4))), formatEuro(value)]
    : [findEnding(name)?.says ?? capitalised(withSpaces(name)), formatNumber(value)]
