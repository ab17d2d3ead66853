// The dialog that puts a policy in force: what changes, how past calls would end, and which waiting requests it withdraws.
import { useState } from 'preact/hooks'
import type { PolicySimulation } from '../../../management/policies/policy-simulation.schema.ts'
import type { Policy } from '../../../management/policies/policies.schema.ts'
import type { ShownApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import { findPolicyChanges } from '../../../policies/document/policy-changes.ts'
import { answered, type Problem } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered, RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button, Submit, submitHandler, useSingleRun } from '../../parts/button.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { Checkbox } from '../../parts/fields.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { held } from '../../parts/icons.ts'
import { formatMoment, formatNumber, plural } from '../../text/format.ts'
import { KeyName, type Keys } from '../key-and-person-names.view.tsx'
import { callApi, inOrganisation } from '../session.ts'
import { OutcomeSplit } from './outcome-split.view.tsx'
import { ChangeWords, ExactChanges } from './policy-changes.view.tsx'
import { textOf, type DraftDocument } from './policy-draft.ts'
import { simulate, type Tried } from './use-policy-trial.ts'
import { useWaitingRequests } from './waiting-requests.ts'

/** What is put in force, and which version it brings back, if any. */
export type Wanted = { document: DraftDocument; restores: number | null }

type Props = {
  inForce: Policy
  wanted: Wanted
  /** The last try of the page, which is shown if it was of the same policy. */
  tried: Tried | null
  keys: Keys
  /** Called with the new version, and how many requests were withdrawn as far as is known. */
  onPut: (policy: Policy, withdrawn: number) => void
  onProblem: (problem: Problem | null) => void
  onClose: () => void
  /** Loads the policy in force again. The draft stays. */
  onReadAgain: () => void
}

export function PutInForce({ inForce, wanted, tried, keys, onPut, onProblem, onClose, onReadAgain }: Props) {
  const { document, restores } = wanted
  const [isTicked, setTicked] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const waiting = useWaitingRequests([problem])
  const simulated = useAnswer<PolicySimulation>(
    async () => (tried?.text === textOf(document) ? answered(tried.simulation) : simulate(document)),
    [],
  )
  const changes = findPolicyChanges(inForce.document, document)
  // Requests that are approved and have not run are withdrawn too, and only the refusal tells of them.
  const isWithdrawing = (waiting?.length ?? 0) > 0 || problem?.param === 'withdraw_waiting'
  const isStale = problem?.param === 'if-match'
  const isReady = !isStale && changes.length > 0 && waiting !== null && (!isWithdrawing || isTicked)
  const [isSending, send] = useSingleRun(async () => {
    setProblem(null)
    const answer = await callApi<Policy>('PUT', '/api/policies', {
      body: { ...document, ...(isWithdrawing && isTicked && { withdraw_waiting: true }) },
      headers: { 'if-match': `"${inForce.version}"` },
    })
    if (answer.outcome === 'refused') {
      setProblem(answer.problem)
      onProblem(answer.problem)
    } else onPut(answer.body, waiting?.length ?? 0)
  })
  return (
    <Dialog title={titleOf(inForce, restores)} onClose={onClose} isLocked={isSending}>
      <form class="stack" onSubmit={submitHandler(() => isReady && send())}>
        {restores !== null && (
          <p class="soft">
            This makes version {inForce.version + 1}, with the rules of{' '}
            {restores === 0 ? 'before there was a policy' : `version ${restores}`}.
          </p>
        )}
        {changes.length === 0 ? (
          <p>These rules are in force now: nothing would change.</p>
        ) : (
          <ChangeWords changes={changes} />
        )}
        {changes.length > 0 && <ExactChanges changes={changes} />}
        <Answered answer={simulated} lines={5}>
          {(simulation) => <Compared of={simulation} keys={keys} />}
        </Answered>
        {waiting !== null && waiting.length > 0 && <Withdrawn requests={waiting} keys={keys} />}
        {problem !== null && <Refused problem={problem} inForce={inForce} onReadAgain={onReadAgain} />}
        {isWithdrawing && (
          <Checkbox isChecked={isTicked} onCheck={setTicked}>
            {waiting === null || waiting.length === 0
              ? 'Withdraw them'
              : `Withdraw ${waiting.length === 1 ? 'this request' : `these ${waiting.length} requests`}`}
          </Checkbox>
        )}
        <p class="soft small">
          {inForce.version > 0 && !isStale && `You can put version ${inForce.version} back. `}
          {isWithdrawing && 'Withdrawn requests do not come back.'}
        </p>
        <div class="row dialog-foot">
          <Button onClick={() => !isSending && onClose()}>Cancel</Button>
          <Submit label="Put in force" look={isStale ? '' : 'first'} isDisabled={isSending || !isReady} />
        </div>
      </form>
    </Dialog>
  )
}

function titleOf({ version }: Policy, restores: number | null): string {
  if (restores === null) return `Put version ${version + 1} in force?`
  return restores === 0 ? 'Go back to no policy?' : `Put version ${restores} back?`
}

type Counts = { passed: number; held: number; blocked: number }

const countWords = ({ passed, held: waits, blocked }: Counts): string =>
  `${formatNumber(passed)} pass, ${formatNumber(waits)} held, ${formatNumber(blocked)} blocked`

function Compared({ of, keys }: { of: PolicySimulation; keys: Keys }) {
  const { calls, decided, passes, needs_approval: waits, blocks, not_evaluated: unknown, by_key: byKey } = of
  if (calls === 0) return <p class="soft">There is no call of the last seven days to try it on.</p>
  const then: Counts = { passed: passes, held: waits, blocked: blocks }
  // Keys of the same name are told as one, such as those that a page makes for its own calls.
  const byName = Map.groupBy(
    byKey.filter((one) => one.blocks > 0),
    ({ key_id: id }) => keys.get(id)?.name ?? id,
  )
  const blocking = [...byName]
    .map(([name, rows]) => ({ name, count: rows.reduce((sum, row) => sum + row.blocks, 0) }))
    .toSorted((one, other) => other.count - one.count)
  return (
    <section class="stack-s" aria-label="Today and then">
      <h3>
        {blocks === decided.blocked
          ? `As many of the last ${plural(calls, 'call')} would be blocked as today: ${formatNumber(blocks)}`
          : `${formatNumber(blocks)} of the last ${plural(calls, 'call')} would be blocked, ${formatNumber(decided.blocked)} today`}
      </h3>
      <div class="compared">
        <span class="soft">Today</span>
        <OutcomeSplit {...decided} />
        <span>{countWords(decided)}</span>
        <span class="soft">With it</span>
        <OutcomeSplit {...then} />
        <span>{countWords(then)}</span>
      </div>
      {unknown > 0 && <p class="soft small">Of {plural(unknown, 'call')} it cannot be told.</p>}
      {blocking.length > 0 && (
        <p class="soft small">
          Blocked by key: {blocking.map(({ name, count }) => `${name} ${formatNumber(count)}`).join(', ')}.
        </p>
      )}
    </section>
  )
}

/** Names the requests that the change withdraws. */
const Withdrawn = ({ requests, keys }: { requests: readonly ShownApproval[]; keys: Keys }) => (
  <section class="stack-s" aria-labelledby="withdrawn">
    <h3 id="withdrawn" class="with-sign">
      <Icon of={held} />
      {plural(requests.length, 'waiting request')} will be withdrawn
    </h3>
    <ul class="plain requests">
      {requests.map(({ id, model, use_case: useCase, key_id: key, created_at: at }) => (
        <li key={id} class="row between">
          <span>
            <span class="nowrap">{model}</span>
            {useCase !== null && ` for ${useCase}`}
          </span>
          <span class="soft small">
            <KeyName id={key} keys={keys} />, asked <time dateTime={at}>{formatMoment(new Date(at), false)}</time>
          </span>
        </li>
      ))}
    </ul>
    <p class="soft small">
      An approval belongs to one version of the policy. The programs must ask again.{' '}
      <a href={inOrganisation('/app/approvals')}>Decide them first</a>
    </p>
  </section>
)

type RefusedProps = Pick<Props, 'inForce' | 'onReadAgain'> & { problem: Problem }

/** Says why it was refused. Another person may have changed the policy: then what is written is compared with that first. */
const Refused = ({ problem, inForce, onReadAgain }: RefusedProps) => (
  <>
    <RefusalNotice problem={problem} />
    {problem.code === 'conflict' && problem.param === 'if-match' && (
      <p class="row">
        <Button onClick={onReadAgain}>Compare with what is in force now</Button>
        <span class="soft">Version {inForce.version} is not in force any more. What you changed is kept.</span>
      </p>
    )}
  </>
)
