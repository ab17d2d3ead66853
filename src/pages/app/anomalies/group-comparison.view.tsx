// The differences between groups: each group's share with its interval as a row, the result in a word, what a result means, and what
// none of it shows.
import { comparedOutcome } from '../../../reports/statistics/compared-outcomes.ts'
import type { BiasDetection } from '../../../management/bias/bias.schema.ts'
import { GROUPING_TABLE } from '../../../platform/groupings.ts'
import { shownDifference, shownRateDifference } from '../../../platform/shown-difference.ts'
import { Axis, IntervalBar } from '../../charts/interval-bar.view.tsx'
import { Foldable } from '../../parts/foldable.view.tsx'
import { Facts, Sentences } from '../../parts/page-blocks.view.tsx'
import { OnlyRead, Soft, Stack } from '../../parts/layout.view.tsx'
import { ButtonLink, CardBody, CardFoot, HeadedCard, Help } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { figures, Table, type Column } from '../../parts/table.view.tsx'
import { formatNumber, formatPercent } from '../../text/format.ts'
import { inPageWords } from '../compliance/page-words.ts'
import type { NameOf } from '../key-and-person-names.view.tsx'
import { inOrganisation } from '../session.ts'
import { StatementNote, type Statements } from '../statements/statements.view.tsx'
import { BiasFilters } from './bias-filters.view.tsx'
import { ComparisonTable, formatPoints, NO_VALUE, ResultBadge, resultName, RESULTS } from './bias-tables.view.tsx'

type Group = BiasDetection['groups'][number]

type Props = {
  parameters: URLSearchParams
  detection: BiasDetection
  statements: Statements
  nameOf: NameOf
  groupName: (group: string) => string
}

export function GroupComparison({ parameters, detection, statements, nameOf, groupName }: Props) {
  const { groups, comparisons, by, outcome, unit, cannot_show: limits } = detection
  const subjectOf = (group: string): string => `disparity:${by}:${outcome}:${group}`
  const answerable = comparisons.filter(
    ({ group, verdict }) => verdict === 'disparity' || statements.about(subjectOf(group)) !== null,
  )
  return (
    <HeadedCard
      title={`Differences by ${GROUPING_TABLE[by].name}`}
      note={`Share of ${unit}s ${
        outcome === 'answered' ? 'answered and not refused' : comparedOutcome(outcome).title
      }, with 95% intervals.`}
      isList
    >
      <BiasFilters {...{ parameters, groups, groupName }} />
      {groups.length === 0 ? <NoGroup unit={unit} /> : <GroupTable {...{ detection, groupName }} />}
      {comparisons
        .filter(({ verdict }) => verdict === 'explained')
        .map((comparison) => (
          <CardFoot key={`explained ${comparison.group}`}>
            <h3>{`${groupName(comparison.group)} differs, ${resultName(comparison).toLowerCase()}`}</h3>
          </CardFoot>
        ))}
      {answerable.map(({ group, verdict }) => (
        <CardFoot key={group} isStack>
          <h3>{`${groupName(group)}${verdict === 'disparity' ? ' differs' : ''}`}</h3>
          <StatementNote
            subject={subjectOf(group)}
            what={`the difference of ${groupName(group)}`}
            {...{ statements, nameOf }}
          />
        </CardFoot>
      ))}
      <CardFoot>
        {inPageWords(limits[0] ?? '')}{' '}
        <Help of="how groups are compared" to="/docs/compare-groups#how-groups-are-compared" />
      </CardFoot>
      <Foldable look="foot" summary="Results and statistics">
        {() => (
          <Stack>
            <Facts
              facts={Object.entries(RESULTS)
                .filter(([verdict]) => comparisons.some((one) => one.verdict === verdict))
                .map(([, { name, means }]) => [<b>{name}</b>, means])}
            />
            {comparisons.length > 0 && <Exact {...{ detection, groupName }} />}
            <Sentences isInColumns of={limits.slice(1).map(inPageWords)} />
          </Stack>
        )}
      </Foldable>
    </HeadedCard>
  )
}

const NoGroup = ({ unit }: Pick<BiasDetection, 'unit'>) => (
  <CardBody isStack>
    <h3>No call of these days is in a group</h3>
    <Soft as="p">
      Each group is a row here, with its share and its interval. Counts show from 10 {unit}s on, a result from 100 on
      seven days. A comparison group is a code that callers declare and the policy lists. Groups by key, model or use
      case need only calls.
    </Soft>
    <p>
      <ButtonLink href={inOrganisation('/app/policies')}>See the comparison groups of the policy</ButtonLink>
    </p>
  </CardBody>
)

type TableProps = Pick<Props, 'detection' | 'groupName'>

function GroupTable({ detection: { groups, comparisons, reference, outcome, by, unit }, groupName }: TableProps) {
  const [low, high] = axisOf(groups)
  const beside = groups.find(({ group }) => group === reference)?.rate ?? null
  const comparedOf = ({ group }: Group) => comparisons.find((one) => one.group === group)
  const againstText = (group: Group): string => {
    const compared = comparedOf(group)
    const difference = compared && shownRateDifference(groups, compared, formatPercent)
    return difference == null ? NO_VALUE : `${formatPoints(difference)} points`
  }
  const columns: readonly Column<Group>[] = [
    { name: 'Group', cell: ({ group }) => groupName(group) },
    {
      name: 'Interval of 95%',
      head: <Axis marks={[low, (low + high) / 2, high].map(formatPercent)} />,
      isWideOnly: true,
      cell: ({ rate, interval }) => (
        <>
          {interval !== null && <OnlyRead>{interval.map(formatPercent).join(' to ')}</OnlyRead>}
          <IntervalBar share={rate} {...{ interval, beside, low, high }} />
        </>
      ),
    },
    figures('Share', ({ rate }) => (rate === null ? NO_VALUE : formatPercent(rate))),
    figures(unit === 'call' ? 'Calls' : 'Approvals', countText, true),
    figures(`Against ${reference === null ? 'the reference' : groupName(reference)}`, againstText, true),
    {
      name: 'Result',
      cell: (group) => {
        const compared = comparedOf(group)
        if (group.group === reference) return <Badge>Reference</Badge>
        return compared !== undefined && <ResultBadge comparison={compared} />
      },
    },
  ]
  return (
    <Table
      isGrid
      isCaptionHidden
      caption="Groups and their shares"
      columns={columns}
      rows={groups}
      keyOf={({ group }) => `${by} ${outcome} ${group}`}
    />
  )
}

const countText = ({ n, k }: Group): string =>
  n === null || k === null ? 'fewer than 10' : `${formatNumber(k)} of ${formatNumber(n)}`

const STEPS = 5

/** Returns the ends of the axis: fifths that all intervals lie between. */
function axisOf(groups: readonly Group[]): [low: number, high: number] {
  const ends = groups.flatMap(({ interval }) => interval ?? [])
  if (ends.length === 0) return [0, 1]
  const low = Math.floor(Math.min(...ends) * STEPS) / STEPS
  const high = Math.ceil(Math.max(...ends) * STEPS) / STEPS
  return [Math.min(low, 1 - 1 / STEPS), Math.max(high, low + 1 / STEPS)]
}

function Exact({ detection: { groups, comparisons, parity, unit }, groupName }: TableProps) {
  const dispersions = groups.flatMap(({ group, dispersion }) =>
    dispersion === null ? [] : [`${groupName(group)} ${formatNumber(dispersion)}`],
  )
  const rates = groups.flatMap(({ n, rate }) => (n === null || n < 100 || rate === null ? [] : [rate]))
  const widest = shownDifference(Math.max(...rates), Math.min(...rates), formatPercent)
  return (
    <Stack>
      <ComparisonTable
        caption="Each group against the reference, with intervals of 95%"
        comparisons={comparisons}
        groups={groups}
        nameOf={groupName}
      />
      <p>
        All together: {RESULTS[parity.verdict].name}.
        {parity.difference !== null &&
          ` Between the highest and the lowest rate, of groups with 100 ${unit}s or more: ${formatNumber(Math.round(widest * 1000) / 10)} points.`}
        {dispersions.length > 0 && ` Dispersion: ${dispersions.join(', ')}.`} p is adjusted over all comparisons here.
      </p>
    </Stack>
  )
}
