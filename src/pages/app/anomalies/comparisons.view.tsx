// The groups as a chart of rates with intervals, and each beside the reference in a table.
import type { BiasDetection } from '../../../management/bias/bias.schema.ts'
import { inOrganisation, type Session } from '../../api/session.ts'
import { IntervalChart, type IntervalRow } from '../../charts/interval-chart.view.tsx'
import { Empty } from '../../parts/empty.view.tsx'
import { formatNumber, formatPercent, plural } from '../../text/format.ts'
import type { KeyNames } from '../use-keys.ts'
import { StatementNote } from '../statements/statement-note.view.tsx'
import type { Statements } from '../statements/use-statements.ts'
import { GROUPING_WORDS, intervalText, outcomeTitle, VERDICTS } from './bias-words.ts'
import { ComparisonTable } from './comparison-table.view.tsx'

export type Given = {
  session: Session
  detection: BiasDetection
  statements: Statements
  nameOf: (id: string) => string
  keyNames: KeyNames
}

export function Comparisons({ session, detection, statements, nameOf, keyNames }: Given) {
  const { groups, comparisons, parity, by, outcome, reference, dispersion, unit } = detection
  const groupName = (group: string): string => keyNames.get(group) ?? group
  const rows = groups.map(({ group, n, k, rate, interval }): IntervalRow => ({
    name: groupName(group),
    share: rate,
    interval,
    note:
      n === null || k === null || rate === null
        ? `fewer than 10 ${unit}s, not shown`
        : `${formatPercent(rate)}: ${formatNumber(k)} of ${formatNumber(n)}`,
  }))
  const { look, means } = VERDICTS[parity.verdict]
  return (
    <section class="stack" aria-labelledby="comparisons">
      <h2 id="comparisons">
        {outcomeTitle(outcome)}, by {GROUPING_WORDS[by]}
      </h2>
      {groups.length === 0 ? (
        <Empty
          title="No call of these days is in a group"
          action={<a href={inOrganisation(session, '/app/policies')}>See which cohorts the policy lists</a>}
          line={`curl "${location.origin}/api/compliance/bias-detection?by=model" -H "authorization: Bearer $MANAGEMENT_KEY"`}
        >
          A cohort is a code that callers declare and the policy lists. Groups by key, model or use case need no more
          than calls.
        </Empty>
      ) : (
        <>
          <p>
            <span class={`badge ${look}`}>{parity.verdict}</span> {means}
            {parity.difference !== null &&
              ` Between the highest and the lowest rate, of groups with 100 ${unit}s or more: ${formatPercent(parity.difference)}.`}
            {dispersion !== null && ` Dispersion: ${formatNumber(dispersion)}.`}
          </p>
          <IntervalChart
            title={`${outcomeTitle(outcome)}, of all ${unit}s of a group`}
            summary={`${plural(groups.length, 'group')}, each with its share and the interval of 95% that it lies in.${
              reference === null
                ? ''
                : ` The dashed line is the share of ${groupName(reference)}, which the others are compared with.`
            }`}
            rows={rows}
            reference={groups.find(({ group }) => group === reference)?.rate ?? null}
            columns={[
              { name: 'Group', cell: ({ name }) => name },
              { name: 'Share', isNumber: true, cell: ({ note }) => note },
              {
                name: 'Interval of 95%',
                isNumber: true,
                cell: ({ interval }) => intervalText(interval, formatPercent),
              },
            ]}
          />
          {comparisons.length > 0 && (
            <ComparisonTable
              caption="Each group beside the reference, with intervals of 95%"
              comparisons={comparisons}
              nameOf={groupName}
            />
          )}
          <p class="soft small">
            disparity: the interval of either ratio lies wholly below 0.8 or above 1.25, and p, adjusted, is below 0.05.
            within: both intervals lie inside. not_enough_data: fewer than 100 {unit}s, or on fewer than seven days, or
            fewer than five expected of either kind. uncertain: else, which is the usual word.
          </p>
          {comparisons.map(({ group, verdict }) => {
            const subject = `disparity:${by}:${outcome}:${group}`
            const isAnswerable = verdict === 'disparity' || statements.about(subject) !== null
            return (
              isAnswerable && (
                <div key={group} class="card stack">
                  <h3>The disparity of {groupName(group)}</h3>
                  <StatementNote
                    session={session}
                    statements={statements}
                    subject={subject}
                    what={`the disparity of ${groupName(group)}`}
                    nameOf={nameOf}
                  />
                </div>
              )
            )
          })}
        </>
      )}
    </section>
  )
}
