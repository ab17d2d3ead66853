// The differences between groups: each group's share with its interval as a row, the result in a word, what a result means, and what
// none of it shows.
import { comparedOutcome } from '../../../reports/statistics/compared-outcomes.ts'
import type { BiasDetection } from '../../../management/bias/bias.schema.ts'
import { GROUPING_TABLE } from '../../../platform/groupings.ts'
import { shownDifference, shownRateDifference } from '../../../platform/shown-difference.ts'
import { IntervalBar } from '../../charts/interval-bar.view.tsx'
import { Foldable } from '../../parts/foldable.view.tsx'
import { Facts, Sentences } from '../../parts/page-blocks.view.tsx'
import { useUniqueId } from '../../parts/field-frame.view.tsx'
import { formatNumber, formatPercent } from '../../text/format.ts'
import { inPageWords } from '../compliance/evidence-words.ts'
import type { NameOf } from '../key-and-person-names.view.tsx'
import { inOrganisation } from '../session.ts'
import { StatementNote, type Statements } from '../statements/statements.view.tsx'
import { ComparisonTable, formatPoints, NO_VALUE, ResultBadge, resultName, RESULTS } from './bias-tables.view.tsx'

type Group = BiasDetection['groups'][number]

type Props = {
  detection: BiasDetection
  statements: Statements
  nameOf: NameOf
  groupName: (group: string) => string
}

export function GroupComparison({ detection, statements, nameOf, groupName }: Props) {
  const { groups, comparisons, by, outcome, unit, reference, cannot_show: limits } = detection
  const id = useUniqueId()
  const verdicts = new Set(comparisons.map(({ verdict }) => verdict))
  const subjectOf = (group: string): string => `disparity:${by}:${outcome}:${group}`
  const answerable = comparisons.filter(
    ({ group, verdict }) => verdict === 'disparity' || statements.about(subjectOf(group)) !== null,
  )
  return (
    <section class="card parts" aria-labelledby={id}>
      <div class="head">
        <div>
          <h2 id={id}>Differences by {GROUPING_TABLE[by].name}</h2>
          <p class="soft small">
            Share of {unit}s{' '}
            {outcome === 'answered' ? 'that were answered, and not refused' : comparedOutcome(outcome).title}, with its
            interval of 95%.
            {reference !== null && ` The dotted line is ${groupName(reference)}.`}
          </p>
        </div>
      </div>
      {groups.length === 0 ? <NoGroup unit={unit} /> : <GroupTable {...{ detection, groupName }} />}
      {comparisons
        .filter(({ verdict }) => verdict === 'explained')
        .map((comparison) => (
          <div key={`explained ${comparison.group}`} class="foot-line">
            <h3>{`${groupName(comparison.group)} differs, ${resultName(comparison).toLowerCase()}`}</h3>
          </div>
        ))}
      {answerable.map(({ group, verdict }) => (
        <div key={group} class="foot-line stack-s">
          <h3>{`${groupName(group)}${verdict === 'disparity' ? ' differs' : ''}`}</h3>
          <StatementNote
            subject={subjectOf(group)}
            what={`the difference of ${groupName(group)}`}
            {...{ statements, nameOf }}
          />
        </div>
      ))}
      {comparisons.length > 0 && (
        <div class="foot-line">
          <Facts
            facts={Object.entries(RESULTS)
              .filter(([verdict]) => [...verdicts].some((one) => one === verdict))
              .map(([, { name, means }]) => [<b>{name}</b>, means])}
          />
        </div>
      )}
      <div class="foot-line">
        <Sentences isInColumns of={limits.map(inPageWords)} />
      </div>
      {comparisons.length > 0 && (
        <Foldable class="foot-line" summary="Statistics">
          {() => <Exact {...{ detection, groupName }} />}
        </Foldable>
      )}
    </section>
  )
}

const NoGroup = ({ unit }: Pick<BiasDetection, 'unit'>) => (
  <div class="body stack">
    <h3>No call of these days is in a group</h3>
    <p class="soft">
      Each group is a row here, with its share and its interval. Counts show from 10 {unit}s on, a result from 100 on
      seven days. A comparison group is a code that callers declare and the policy lists. Groups by key, model or use
      case need only calls.
    </p>
    <p>
      <a class="button" href={inOrganisation('/app/policies')}>
        See the comparison groups of the policy
      </a>
    </p>
  </div>
)

type TableProps = Pick<Props, 'detection' | 'groupName'>

function GroupTable({ detection, groupName }: TableProps) {
  const { groups, comparisons, reference, outcome, by, unit } = detection
  const [low, high] = axisOf(groups)
  const referenceRate = groups.find(({ group }) => group === reference)?.rate ?? null
  const id = useUniqueId()
  return (
    <div class="table" role="region" aria-labelledby={id} tabIndex={0}>
      <table class="groups">
        <caption id={id}>
          <span class="only-read">Groups and their shares</span>
        </caption>
        <thead>
          <tr>
            <th scope="col">Group</th>
            <th scope="col" class="axis">
              <span class="only-read">Interval of 95%</span>
              <span class="row between" aria-hidden="true">
                {[low, (low + high) / 2, high].map((share) => (
                  <span key={share}>{formatPercent(share)}</span>
                ))}
              </span>
            </th>
            <th scope="col" class="number">
              Share
            </th>
            <th scope="col" class="number wide">
              {unit === 'call' ? 'Calls' : 'Approvals'}
            </th>
            <th scope="col" class="number wide">
              Against {reference === null ? 'the reference' : groupName(reference)}
            </th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => {
            const compared = comparisons.find((one) => one.group === group.group)
            return (
              <tr key={`${by} ${outcome} ${group.group}`}>
                <th scope="row">{groupName(group.group)}</th>
                <td class="axis">
                  {group.interval !== null && (
                    <span class="only-read">{group.interval.map(formatPercent).join(' to ')}</span>
                  )}
                  <IntervalBar share={group.rate} interval={group.interval} beside={referenceRate} {...{ low, high }} />
                </td>
                <td class="number">{group.rate === null ? NO_VALUE : formatPercent(group.rate)}</td>
                <td class="number wide">{countText(group)}</td>
                <td class="number wide">
                  {pointsText(compared === undefined ? null : shownRateDifference(groups, compared, formatPercent))}
                </td>
                <td>
                  {group.group === reference ? (
                    <span class="badge">Reference</span>
                  ) : (
                    compared !== undefined && <ResultBadge comparison={compared} />
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

const countText = ({ n, k }: Group): string =>
  n === null || k === null ? 'fewer than 10' : `${formatNumber(k)} of ${formatNumber(n)}`

const pointsText = (difference: number | null): string =>
  difference === null ? NO_VALUE : `${formatPoints(difference)} points`

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
    <div class="stack">
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
    </div>
  )
}
