// The concordance page (/app/concordance): readings compared with what clinicians chose, in the order of the answer. SECURITY: nothing
// sorts or ranks the rows, or a specialty would become a score.
import type { ComponentChildren } from 'preact'
import type { ConcordanceSchema } from '../../../management/concordance/concordance.schema.ts'
import type { Infer } from '../../../platform/once.ts'
import { Meter } from '../../parts/tile.view.tsx'
import { IntervalBar } from '../../charts/interval-bar.view.tsx'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { EmptyNotice, HeadedCard, CardBody, CardFoot, ButtonLink } from '../../parts/surfaces.view.tsx'
import { figures, Table, type Column } from '../../parts/table.view.tsx'
import { formatMonth, formatNumber, formatPercent, plural } from '../../text/format.ts'
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

const count = (name: string, of: (counts: Counts) => number): Column<Row> =>
  figures(name, ({ counts }) => formatNumber(of(counts)))

const share = (name: string, of: (counts: Counts) => Counts['reader_a_same']): Column<Row> => ({
  name,
  cell: ({ counts }) => <Share {...of(counts)} />,
})

const COLUMNS: readonly Column<Row>[] = [
  { name: 'Specialty chosen', cell: ({ name }) => name },
  { name: 'Months', cell: ({ months }): ComponentChildren => months },
  count('Outcomes', ({ n }) => n),
  count('Accepted', ({ accepted }) => accepted),
  count('Overridden', ({ overridden }) => overridden),
  count('Chosen', ({ chosen }) => chosen),
  share('Reader A the same', (counts) => counts.reader_a_same),
  share('Reader B the same', (counts) => counts.reader_b_same),
]

const Blocks = ({ totals, data, pending }: Pick<Answer, 'data' | 'pending'> & { totals: Counts }) => (
  <HeadedCard
    title="By specialty chosen"
    note="In the order of the published file. Months are joined until they have ten outcomes. Each line is the interval of 95%, on a scale from 0% to 100%."
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
      Accepted and overridden: the reading named a specialty. Chosen: it named none. Reader A and Reader B: how often
      that reader named what was chosen.{pending && ` ${TOO_FEW}`}
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

const NoOutcome = ({ isPending }: { isPending: boolean }) => (
  <EmptyNotice
    title={isPending ? 'Fewer than ten outcomes of each specialty' : 'Nothing to compare yet'}
    action={
      <p>
        <ButtonLink href="/docs/see-usage#concordance">Read about outcomes</ButtonLink>
      </p>
    }
  >
    Your GP software reports what the clinician chose after a reading. It is counted here once its month has closed.
  </EmptyNotice>
)

await openPage('/app/concordance', Concordance)
