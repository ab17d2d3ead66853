// Policies page: simulates the policy draft on the latest calls. Calls whose outcome would change come first.
import { Button } from '../../parts/button.view.tsx'
import { useState } from 'preact/hooks'
import type { PolicySimulation } from '../../../management/policies/policy-simulation.schema.ts'
import { useButtonRequest } from '../../api/use-button-request.ts'
import { SelectField } from '../../parts/fields.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { figures, Table, type Column } from '../../parts/table.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import type { DraftDocument } from './policy-draft.ts'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { callApi, inOrganisation } from '../session.ts'
import { KeyName, type Keys } from '../key-and-person-names.view.tsx'
import { Section } from '../../parts/page-blocks.view.tsx'

type Call = PolicySimulation['data'][number]
const CALL_COUNTS = [50, 200, 1000]

export function Simulation({ document, isReady, keys }: { document: DraftDocument; isReady: boolean; keys: Keys }) {
  const [last, setLast] = useState(200)
  const {
    ask,
    isAsking,
    problem,
    body: tried,
  } = useButtonRequest(async () => {
    const answer = await callApi<PolicySimulation>('POST', '/api/policies/simulate', { body: { document, last } })
    return answer.outcome === 'refused' ? answer : { ...answer, body: { of: document, simulation: answer.body } }
  })

  return (
    <Section title="Try it on past calls" isCard>
      <p class="soft">
        The latest decisions are held against the policy as it is written above. Nothing is changed and nothing is
        written.
      </p>
      <div class="row at-end">
        <SelectField
          label="Calls"
          value={last}
          onValue={(value) => setLast(Number(value))}
          options={CALL_COUNTS.map((count) => [count, `the latest ${formatNumber(count)}`] as const)}
        />
        <Button isDisabled={isAsking || !isReady} onClick={() => isReady && ask()}>
          Try it
        </Button>
      </div>
      {problem !== null && <RefusalNotice problem={problem} />}
      <div role="status" class="stack">
        {tried !== null && <Summary of={tried.simulation} isOld={tried.of !== document} />}
      </div>
      {tried !== null && <ByKey of={tried.simulation} keys={keys} />}
      {tried !== null && <Calls of={tried.simulation} keys={keys} />}
    </Section>
  )
}

function Summary({ of, isOld }: { of: PolicySimulation; isOld: boolean }) {
  const { calls, passes, blocks, needs_approval: approvals, not_evaluated: unknown, rules_left_out: leftOut } = of
  const parts = [
    { count: passes, words: 'would pass' },
    { count: blocks, words: 'would be blocked' },
    { count: approvals, words: 'would need approval' },
    { count: unknown, words: 'cannot be told' },
  ].flatMap(({ count, words }) => (count === 0 ? [] : [`${formatNumber(count)} ${words}`]))
  return (
    <>
      {isOld && <p class="notice warn">The policy was changed since this was tried. Try it again.</p>}
      <p>
        {calls === 0
          ? 'No call of the last seven days is at hand.'
          : `Of ${plural(calls, 'call')}: ${parts.join(', ')}.`}
      </p>
      {leftOut.length > 0 && (
        <p class="soft">
          Not tried, since they look at more than one call: <code>{leftOut.join(', ')}</code>.
        </p>
      )}
    </>
  )
}

type KeyRow = PolicySimulation['by_key'][number]

/** Compares for each key what was decided with what the policy would decide. */
const ByKey = ({ of: { by_key: rows }, keys }: { of: PolicySimulation; keys: Keys }) =>
  rows.length < 2 ? null : (
    <Table
      caption="By key: then, and under this policy"
      columns={[
        { name: 'Key', cell: ({ key_id: id }) => <KeyName id={id} keys={keys} /> },
        figures<KeyRow>('Calls', ({ calls }) => formatNumber(calls)),
        figures<KeyRow>('Passed then', ({ decided }) => formatNumber(decided.passed)),
        figures<KeyRow>('Would pass', ({ passes }) => formatNumber(passes)),
        figures<KeyRow>('Held then', ({ decided }) => formatNumber(decided.held)),
        figures<KeyRow>('Would wait', ({ needs_approval: waits }) => formatNumber(waits)),
        figures<KeyRow>('Blocked then', ({ decided }) => formatNumber(decided.blocked)),
        figures<KeyRow>('Would be blocked', ({ blocks }) => formatNumber(blocks)),
      ]}
      rows={rows}
      keyOf={({ key_id: id }) => id}
    />
  )

/** True if the policy would change the outcome. A call that a loop or a failure stopped never counts as changed. */
const hasOtherOutcome = ({ outcome, approval_id, result }: Call): boolean =>
  (outcome === 'passed' && (result === 'blocks' || (result === 'needs_approval' && approval_id === null))) ||
  (outcome === 'held' && result !== 'needs_approval' && result !== 'not_evaluated') ||
  (outcome === 'blocked' && (result === 'passes' || result === 'needs_approval'))

function Calls({ of, keys }: { of: PolicySimulation; keys: Keys }) {
  const other = of.data.filter(hasOtherOutcome)
  const unknown = of.data.filter(({ result }) => result === 'not_evaluated')
  const columns = columnsOf(keys)
  const [isWhole, setWhole] = useState(false)
  return (
    <>
      {of.calls > 0 && (
        <h3>
          {other.length === 0
            ? 'No call would have ended differently'
            : `${plural(other.length, 'call')} would have ended differently`}
        </h3>
      )}
      {other.length > 0 && (
        <Table
          caption="Calls that would have ended differently"
          isCaptionHidden
          columns={columns}
          rows={isWhole ? other : other.slice(0, FIRST_SHOWN)}
          keyOf={idOf}
        />
      )}
      {other.length > FIRST_SHOWN && !isWhole && (
        <p>
          <Button onClick={() => setWhole(true)}>Show all {formatNumber(other.length)}</Button>
        </p>
      )}
      {unknown.length > 0 && (
        <details>
          <summary>{plural(unknown.length, 'call')} of which it cannot be told</summary>
          <Table
            caption="Calls of which it cannot be told"
            isCaptionHidden
            columns={columns}
            rows={unknown}
            keyOf={idOf}
          />
        </details>
      )}
    </>
  )
}

const FIRST_SHOWN = 25

const idOf = ({ attestation_id: id }: Call): string => id

const RESULTS: Readonly<Record<Call['result'], string>> = {
  passes: 'passes',
  blocks: 'is blocked',
  needs_approval: 'needs approval',
  not_evaluated: 'cannot be told',
}

const columnsOf = (keys: Keys): readonly Column<Call>[] => [
  {
    name: 'Call',
    cell: ({ attestation_id: id, created_at: at }) => (
      <a href={inOrganisation(`/app/calls?id=${id}`)}>
        <Moment at={at} />
      </a>
    ),
  },
  { name: 'Model', cell: ({ model }) => model },
  { name: 'Use case', cell: ({ use_case: useCase }) => useCase ?? 'none declared' },
  { name: 'Key', cell: ({ key_id: id }) => <KeyName id={id} keys={keys} /> },
  { name: 'Then', cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
  {
    name: 'Under this policy',
    cell: ({ result, policy, reason }) => (
      <>
        {RESULTS[result]}
        {policy !== null && (
          <>
            {' '}
            by <code>{policy}</code>
            {reason !== null && `: ${reason}`}
          </>
        )}
      </>
    ),
  },
]
