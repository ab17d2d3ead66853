// Policy page: what a try of the draft found. Calls that would end differently are grouped by why, and lead to the calls.
import { exactTime } from '../../parts/times.view.tsx'
import { outcomeName } from '../../../evidence/records/call-endings.ts'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PolicySimulation } from '../../../management/policies/policy-simulation.schema.ts'
import { Button, LinkButton } from '../../parts/button.view.tsx'
import { SelectField } from '../../parts/fields.view.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { Section } from '../../parts/page-blocks.view.tsx'
import { figures, Table, type Column } from '../../parts/table.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import { listed } from '../../text/reword-text.ts'
import { KeyName, type Keys } from '../key-and-person-names.view.tsx'
import { hasPermission, inOrganisation } from '../session.ts'
import { ruleName } from '../../text/rule-names.ts'
import {
  areAnswersNotKnown,
  changeOf,
  compareEnds,
  END_NAMES,
  END_OF_RESULT,
  endsByKey,
  groupsOf,
  reasonOf,
  type ChangeGroup,
  type KeyEnds,
  type SimulatedCall,
  type Trial,
  type Tried,
  type Untried,
} from './simulated-calls.ts'
import { SplitBar, SplitLegend } from '../../charts/split-bar.view.tsx'
import { Remark } from '../../parts/surfaces.view.tsx'
import { Text, Soft } from '../../parts/layout.view.tsx'

const CALL_COUNTS = [50, 200, 1000]

type Props = { trial: Trial; tried: Tried; untried: Untried; keys: Keys }

export function TryResult({ trial, tried, untried, keys }: Props) {
  const { simulation } = tried
  const { calls, data, rules_left_out: leftOut } = simulation
  const { after } = compareEnds(data)
  const result = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => result.current?.scrollIntoView({ block: 'nearest' }), [simulation])
  return (
    <div id="tried" tabIndex={-1} ref={result}>
      <Section title="Result of the trial" isCard>
        {calls > 0 && (
          <>
            <SplitBar counts={END_NAMES.map((end) => after[end])} />
            <SplitLegend of={END_NAMES.map((end) => [outcomeName(end), after[end]])} />
          </>
        )}
        <Soft as="p">
          This was only a trial
          {calls > 0 && calls < tried.last && `: only ${plural(calls, 'call')} of the last 7 days could be tried`}.
          {leftOut.length > 0 &&
            ` Not tried, because they look at more than one call: ${listed(leftOut.map(ruleName))}.`}
        </Soft>
        <AnswersNotKnown of={simulation} untried={untried} />
        <Groups groups={groupsOf(simulation)} keys={keys} />
        <ByKey rows={endsByKey(simulation, keys)} />
        <Unknown of={simulation} keys={keys} />
        <SelectField
          label="Calls to try it on"
          value={trial.last}
          onValue={(value) => trial.setLast(Number(value))}
          options={CALL_COUNTS.map((one) => [one, `the last ${formatNumber(one)}`] as const)}
        />
      </Section>
    </div>
  )
}

export const AnswersNotKnown = ({ of, untried }: { of: PolicySimulation; untried: Untried }) =>
  areAnswersNotKnown(of, untried) ? (
    <Remark tone="warn">It is not known which answers would be changed or stopped: no answer was searched.</Remark>
  ) : null

const Result = ({ of }: { of: SimulatedCall['result'] }) =>
  of === 'not_evaluated' ? <Soft>Cannot be told</Soft> : <OutcomeBadge outcome={END_OF_RESULT[of]} />

function Groups({ groups, keys }: { groups: readonly ChangeGroup[]; keys: Keys }) {
  const [chosen, setChosen] = useState('')
  const group = groups.find(({ id }) => id === chosen)
  if (groups.length === 0) return null
  return (
    <>
      <Table
        caption="Why calls would end differently"
        isCaptionHidden
        columns={[
          {
            name: 'Why it would change',
            cell: ({ id, why }) => (
              <LinkButton isExpanded={chosen === id} onClick={() => setChosen(chosen === id ? '' : id)}>
                {why}
              </LinkButton>
            ),
          },
          { name: 'Today', cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
          { name: 'Then', cell: ({ result }) => <Result of={result} /> },
          figures<ChangeGroup>('Calls', ({ calls }) => formatNumber(calls.length)),
        ]}
        rows={groups}
        keyOf={({ id }) => id}
      />
      {group !== undefined && <Calls key={chosen} title={group.why} calls={group.calls} keys={keys} />}
    </>
  )
}

const ByKey = ({ rows }: { rows: readonly KeyEnds[] }) =>
  rows.length === 0 ? null : (
    <Table
      caption="By key: today → then"
      isGrid
      columns={[
        { name: 'Key', cell: ({ name }) => name },
        ...END_NAMES.map((end) => figures<KeyEnds>(outcomeName(end), (row) => changeOf(row, end))),
      ]}
      rows={rows}
      keyOf={({ name }) => name}
    />
  )

function Unknown({ of: { data }, keys }: { of: PolicySimulation; keys: Keys }) {
  const unknown = data.filter(({ result }) => result === 'not_evaluated')
  if (unknown.length === 0) return null
  return (
    <details>
      <summary>{plural(unknown.length, 'call')} of which it cannot be told</summary>
      <Calls title="Calls of which it cannot be told" calls={unknown} keys={keys} hasReasons />
    </details>
  )
}

const FIRST_SHOWN = 25

type CallsProps = {
  title: string
  calls: readonly SimulatedCall[]
  keys: Keys
  /** True if the calls have different reasons. */
  hasReasons?: boolean
}

function Calls({ title, calls, keys, hasReasons = false }: CallsProps) {
  const [isWhole, setWhole] = useState(false)
  return (
    <>
      <Table
        caption={title}
        columns={hasReasons ? [...columnsOf(keys), WHY] : columnsOf(keys)}
        rows={isWhole ? calls : calls.slice(0, FIRST_SHOWN)}
        keyOf={({ attestation_id: id }) => id}
      />
      {calls.length > FIRST_SHOWN && !isWhole && (
        <p>
          <Button onClick={() => setWhole(true)}>Show all {formatNumber(calls.length)}</Button>
        </p>
      )}
    </>
  )
}

const columnsOf = (keys: Keys): readonly Column<SimulatedCall>[] => [
  {
    name: 'Call',
    cell: ({ attestation_id: id, created_at: at }) => {
      const time = <time dateTime={at}>{exactTime(at)}</time>
      return hasPermission('audit:read') ? <a href={inOrganisation(`/app/calls?id=${id}`)}>{time}</a> : time
    },
  },
  { name: 'Model', cell: ({ model }) => <Text isOneLine>{model}</Text> },
  { name: 'Use case', cell: ({ use_case: useCase }) => useCase ?? 'none declared' },
  { name: 'Key', cell: ({ key_id: id }) => <KeyName id={id} name={keys.get(id)?.name} /> },
]

const WHY: Column<SimulatedCall> = { name: 'Why', cell: reasonOf }
