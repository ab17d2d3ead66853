// The concordance page (/app/concordance): readings compared with what clinicians chose, in the order of the answer. SECURITY: nothing
// sorts or ranks the rows, or a specialty would become a score.
import type { ComponentChildren } from 'preact'
import type { ConcordanceSchema } from '../../../management/concordance/concordance.schema.ts'
import type { Infer } from '../../../platform/once.ts'
import { Meter } from '../../parts/tile.view.tsx'
import { IntervalBar } from '../../charts/interval-bar.view.tsx'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { CodeTabs } from '../../parts/code-tabs.view.tsx'
import { Halves, Row as InRow } from '../../parts/layout.view.tsx'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { EmptyNotice, HeadedCard, CardBody, CardFoot, ButtonLink, SmallLink } from '../../parts/surfaces.view.tsx'
import { figures, Table, type Column } from '../../parts/table.view.tsx'
import { formatMonth, formatNumber, formatPercent, plural } from '../../text/format.ts'
import { capitalised } from '../../text/reword-text.ts'
import { CsvHead } from '../frame/csv-head.view.tsx'
import { openPage } from '../open-page.tsx'
import { useApi } from '../session.ts'

type Answer = Infer<typeof ConcordanceSchema>
type Counts = NonNullable<Answer['totals']>

const PATH = '/api/analytics/concordance'

const Concordance = () => (
  <Answered answer={useApi<Answer>(PATH)} lines={30}>
    {({ note, coverage, totals, data, pending }) => (
      <>
        <CsvHead lead={note} csv={totals === null ? null : { path: PATH }} />
        <Coverage {...coverage} />
        {totals === null ? <NoOutcome isPending={pending} /> : <Blocks totals={totals} data={data} pending={pending} />}
      </>
    )}
  </Answered>
)

function Coverage({ from, to, readings, with_outcome: known }: Answer['coverage']) {
  if (from === null || to === null) return null
  return (
    <HeadedCard title="Coverage" isList>
      <CardBody>
        <p>
          {formatNumber(known)} of {plural(readings, 'reading')} of {monthsText(from, to)}{' '}
          {known === 1 ? 'has' : 'have'} an outcome
        </p>
        <Meter share={readings === 0 ? 0 : Math.min(1, known / readings)} />
      </CardBody>
    </HeadedCard>
  )
}

/** Returns “October 2026” or “September to October 2026”. */
function monthsText(from: string, to: string): string {
  if (from === to) return formatMonth(to)
  const first = formatMonth(from)
  return `${from.slice(0, 4) === to.slice(0, 4) ? first.replace(/ \d+$/, '') : first} to ${formatMonth(to)}`
}

type Row = { name: string; months: string; counts: Counts }

const rowsOf = ({ specialty, blocks }: Answer['data'][number]): Row[] =>
  blocks.map(({ from, to, ...counts }) => ({ name: specialty ?? 'None', months: monthsText(from, to), counts }))

/** `what`: what it has or counts. */
type Described = Column<Row> & { what: string }

const count = (name: string, what: string, of: (counts: Counts) => number): Described => ({
  ...figures<Row>(name, ({ counts }) => formatNumber(of(counts))),
  what,
})

const share = (name: string, what: string, of: (counts: Counts) => Counts['reader_a_same']): Described => ({
  name,
  what,
  cell: ({ counts }) => <Share {...of(counts)} />,
})

const COLUMNS: readonly Described[] = [
  { name: 'Specialty chosen', what: 'what the clinician chose after a reading', cell: ({ name }) => name },
  { name: 'Months', what: 'put together until there are ten choices', cell: ({ months }): ComponentChildren => months },
  count('Outcomes', 'the choices that were reported', ({ n }) => n),
  count('Accepted', 'the reading named a specialty, and it was chosen', ({ accepted }) => accepted),
  count('Overridden', 'the reading named a specialty, and it was not chosen', ({ overridden }) => overridden),
  count('Reading named none', 'a specialty was chosen all the same', ({ chosen }) => chosen),
  share('Reader A the same', 'how often it had named what was chosen', (counts) => counts.reader_a_same),
  share('Reader B the same', 'how often it had named what was chosen', (counts) => counts.reader_b_same),
]

/** The columns with what they count, those of both readers in one. */
const DESCRIBED = [
  ...COLUMNS.slice(0, -2),
  { name: 'Reader A, reader B the same', what: 'how often each had named what was chosen' },
]

const Blocks = ({ totals, data, pending }: Pick<Answer, 'data' | 'pending'> & { totals: Counts }) => (
  <HeadedCard
    title="By specialty chosen"
    note="In the order of the published file. Months are put together until there are ten choices. Each line is the interval of 95%, on a scale from 0% to 100%."
    isList
  >
    <Table
      caption="Readings and choices by specialty chosen"
      isCaptionHidden
      columns={COLUMNS}
      rows={[...data.flatMap(rowsOf), { name: 'Blocks shown', months: '', counts: totals }]}
      keyOf={({ name, months }) => `${name} ${months}`}
    />
    <CardFoot>
      {DESCRIBED.map(({ name, what }) => `${name}: ${what}.`).join(' ')}
      {pending && ` ${TOO_FEW}`}
    </CardFoot>
  </HeadedCard>
)

const Share = ({ k, n, interval }: Counts['reader_a_same']) => (
  <>
    {formatNumber(k)} of {formatNumber(n)}
    <br />
    {interval.map(formatPercent).join(' to ')}
    <IntervalBar share={k / n} interval={interval} />
  </>
)

const TOO_FEW = 'There are further outcomes: too few of each specialty to be shown.'

/** Reports a choice with the record of a stored reading. */
const REPORT = `jq '{record: .record.signed,
  role: "referrer",
  chosen: {
    specialty: "Cardiology"}}' \\
  reading.json |
curl -s ${location.origin}/v1/referral/outcome \\
  -H "authorization: Bearer $KEY" \\
  -H 'content-type: application/json' \\
  -d @-`

const NoOutcome = ({ isPending }: { isPending: boolean }) => (
  <Halves>
    <HeadedCard title="Report a choice">
      <p>
        Your GP software keeps the answer of each reading, and within 30 days reports what the clinician chose. Here,{' '}
        <code>reading.json</code> is that answer, <code>KEY</code> a{' '}
        <a href="/docs/integrate-readings#go-live">live key</a>, and Cardiology the choice:
      </p>
      <CodeTabs title="reading.json" what="the call" tabs={[{ name: 'curl', language: 'sh', text: REPORT }]} />
      <InRow as="p">
        <ButtonLink href="/docs/integrate-readings#after-the-choice">Integrate it</ButtonLink>
        <SmallLink href="/docs/see-usage#concordance">What is counted</SmallLink>
      </InRow>
    </HeadedCard>
    <EmptyNotice
      title={isPending ? 'Fewer than ten outcomes of each specialty' : 'Nothing to compare yet'}
      action={<Facts facts={DESCRIBED.map(({ name, what }) => [name, capitalised(what)])} />}
    >
      Once a month has closed, a table will be here. Its columns:
    </EmptyNotice>
  </Halves>
)

await openPage('/app/concordance', Concordance)
