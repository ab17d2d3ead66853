// The dialog that puts a policy in force: what changes, how past calls would end, and which waiting requests it withdraws.
import { exactTime } from '../../parts/times.view.tsx'
import { useLayoutEffect, useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/policy-change'
import type { PolicySimulation } from '../../../management/policies/policy-simulation.schema.ts'
import type { ChangedPolicy, Policy } from '../../../management/policies/policies.schema.ts'
import type { NamedApproval } from '../../../organisation/approvals/approval-response.schema.ts'
import { findPolicyChanges } from '../../../policies/document/policy-changes.ts'
import { answered, type Problem } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered, RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button, Submit, submitHandler, useSingleRun } from '../../parts/button.view.tsx'
import { Dialog, DialogFoot } from '../../parts/dialog.view.tsx'
import { Checkbox, InputField } from '../../parts/fields.view.tsx'
import { faultsIn } from '../../parts/form.view.tsx'
import { blocked, held } from '../../parts/icons.ts'
import { formatNumber, plural } from '../../text/format.ts'
import { KeyName, type Keys } from '../key-and-person-names.view.tsx'
import { whyCannotDecide } from '../approvals/approval-words.ts'
import { callApi, inOrganisation } from '../session.ts'
import { ChangeWords, ExactChanges } from './policy-changes.view.tsx'
import type { DraftDocument } from './policy-draft.ts'
import {
  changeOf,
  compareEnds,
  END_NAMES,
  endsByKey,
  type EndCounts,
  simulate,
  trialTitle,
  amongCalls,
  byTriedRules,
  untriedOf,
  type Untried,
} from './simulated-calls.ts'
import { AnswersNotKnown } from './try-result.view.tsx'
import type { WaitingRequests } from './waiting-requests.ts'
import { Text, Stack, Row, Soft, Note } from '../../parts/layout.view.tsx'
import { PlainList, SignRow, WithSign, Remark } from '../../parts/surfaces.view.tsx'
import { ComparedBars } from '../../charts/split-bar.view.tsx'

/** Why the service refused, and the waiting requests that were shown then, by their ids. */
type Refusal = { problem: Problem; listText: string }

/** What is put in force, and which version it brings back, if any. */
export type Wanted = { document: DraftDocument; restores: number | null }

type Props = {
  inForce: Policy
  wanted: Wanted
  /** What the page's try of the same policy found; null if there was none. */
  tried: PolicySimulation | null
  waiting: WaitingRequests
  keys: Keys
  /** Called with the new version, and how many requests were withdrawn as far as is known. */
  onPut: (policy: ChangedPolicy, withdrawn: number) => void
  onProblem: (problem: Problem | null) => void
  onClose: () => void
  /** Loads the policy in force again. The draft stays. */
  onReadAgain: () => void
}

export function PutInForce(props: Props) {
  const { inForce, wanted, tried, waiting, keys, onPut, onProblem, onClose, onReadAgain } = props
  const { document, restores } = wanted
  const { shown } = waiting
  const ids = shown?.map(({ id }) => id) ?? []
  const listText = ids.join()
  // A tick is for the list that was there: it is gone when the list changes.
  const [tickedFor, setTickedFor] = useState<string | null>(null)
  const [refused, setRefused] = useState<Refusal | null>(null)
  const [reason, setReason] = useState('')
  useLayoutEffect(waiting.readAgain, [])
  const changes = findPolicyChanges(inForce.document, document)
  const untried = untriedOf(changes)
  const simulated = useAnswer<PolicySimulation | null>(
    async () => (tried !== null || untried.isAll ? answered(tried) : simulate(document)),
    [],
  )
  const isTicked = tickedFor === listText
  const isStale = refused?.problem.param === 'if-match'
  const isRefusedForWaiting = refused?.problem.param === 'withdraw_waiting'
  const hasListChanged =
    shown !== null &&
    !isStale &&
    !isTicked &&
    (tickedFor !== null || (isRefusedForWaiting && ids.length > 0 && refused.listText !== listText))
  // Only the refusal tells of requests that the list has no place for, or that this person may not see.
  const isUnlisted = isRefusedForWaiting && refused.listText === listText
  const isWithdrawing = ids.length > 0 || isUnlisted
  // The button moves once past calls were tried, so it waits: a press on its way would be lost.
  const isTrying = simulated[0].state === 'loading'
  const isReady = !isStale && changes.length > 0 && shown !== null && !isTrying && (!isWithdrawing || isTicked)
  const [isSending, send] = useSingleRun(async () => {
    setRefused(null)
    const answer = await callApi<ChangedPolicy>('PUT', '/api/policies', {
      body: {
        ...document,
        ...(reason.trim() !== '' && { reason }),
        ...(isWithdrawing && { withdraw_waiting: isUnlisted ? true : ids }),
      },
      headers: { 'if-match': `"${inForce.version}"` },
    })
    if (answer.outcome === 'answered') return onPut(answer.body, ids.length)
    setRefused({ problem: answer.problem, listText })
    onProblem(answer.problem)
    waiting.readAgain()
  })
  return (
    <Dialog title={titleOf(inForce, restores)} onClose={onClose} isLocked={isSending}>
      <Stack as="form" onSubmit={submitHandler(() => isReady && send())}>
        {restores !== null && (
          <Soft as="p">
            This makes version {inForce.version + 1}, with the rules of{' '}
            {restores === 0 ? 'before there was a policy' : `version ${restores}`}.
          </Soft>
        )}
        {changes.length === 0 ? (
          <p>These rules are in force now: nothing would change.</p>
        ) : (
          <>
            <ChangeWords changes={changes} />
            <ExactChanges changes={changes} />
          </>
        )}
        {untried.words !== '' && <Remark tone="warn">{untried.words}</Remark>}
        <Answered answer={simulated} lines={5}>
          {(simulation) => simulation !== null && <Compared of={simulation} untried={untried} keys={keys} />}
        </Answered>
        {shown !== null && shown.length > 0 && <Withdrawn requests={shown} />}
        {hasListChanged && (
          <Remark tone="warn" role="alert">
            Other requests wait now than before. Nothing was changed. Look at the list again.
          </Remark>
        )}
        {refused !== null && shown !== null && !(isRefusedForWaiting && hasListChanged) && (
          <>
            <RefusalNotice problem={refused.problem} />
            {isStale && refused.problem.code === 'conflict' && (
              // What is written is compared first with what another person has put in force.
              <Row as="p">
                <Button onClick={onReadAgain}>Compare with what is in force now</Button>
                <Soft>Version {inForce.version} is not in force any more. What you changed is kept.</Soft>
              </Row>
            )}
          </>
        )}
        <InputField
          label="Reason"
          hint="Optional. It is kept in the history. Name no patient."
          fault={faultsIn(refused?.problem ?? null)('reason')}
          maxLength={SCHEMA.reason.maxLength}
          value={reason}
          onValue={setReason}
        />
        <DialogFoot>
          {isWithdrawing && (
            <Checkbox isChecked={isTicked} onCheck={(isOn) => setTickedFor(isOn ? listText : null)}>
              {isUnlisted
                ? 'Withdraw them'
                : `Withdraw ${ids.length === 1 ? 'this request' : `these ${ids.length} requests`}`}
            </Checkbox>
          )}
          <Note as="p">
            {inForce.version > 0 && !isStale && `You can put version ${inForce.version} back. `}
            {isWithdrawing && 'Withdrawn requests do not come back.'}
          </Note>
          <Button onClick={() => !isSending && onClose()}>Cancel</Button>
          <Submit label="Put in force" look={isStale ? '' : 'first'} isDisabled={isSending || !isReady} />
        </DialogFoot>
      </Stack>
    </Dialog>
  )
}

function titleOf({ version }: Policy, restores: number | null): string {
  if (restores === null) return `Put version ${version + 1} in force?`
  return restores === 0 ? 'Go back to no policy?' : `Put version ${restores} back?`
}

const countWords = (counts: EndCounts): string =>
  END_NAMES.map((end) => `${formatNumber(counts[end])} ${end}`).join(', ')

const countsOf = (counts: EndCounts): number[] => END_NAMES.map((end) => counts[end])

function Compared({ of, untried, keys }: { of: PolicySimulation; untried: Untried; keys: Keys }) {
  const { calls, data, not_evaluated: unknown } = of
  if (calls === 0) return <Soft as="p">{trialTitle(of, untried)}.</Soft>
  const { today, after } = compareEnds(data)
  const byKey = endsByKey(of, keys)
  return (
    <Stack as="section" gap={2} label="Today and then">
      {after.blocked > today.blocked ? (
        <WithSign as="h3" icon={blocked} tone="bad">
          {byTriedRules(
            `${formatNumber(after.blocked)} of ${amongCalls(of)} would be blocked, ${formatNumber(today.blocked)} today`,
            untried,
          )}
        </WithSign>
      ) : (
        <h3>{trialTitle(of, untried)}</h3>
      )}
      <ComparedBars
        of={[
          ['Today', countsOf(today), countWords(today)],
          ['Then', countsOf(after), countWords(after)],
        ]}
      />
      {unknown > 0 && <Note as="p">How {plural(unknown, 'more call')} would end is not known.</Note>}
      <AnswersNotKnown of={of} untried={untried} />
      {byKey.length > 0 && (
        <>
          <Note as="p">By key, today → then:</Note>
          <PlainList label="By key">
            {byKey.map((row) => (
              <SignRow
                key={row.name}
                title={row.name}
                about={END_NAMES.filter((end) => row.today[end] !== row.after[end])
                  .map((end) => `${changeOf(row, end)} ${end}`)
                  .join(', ')}
              />
            ))}
          </PlainList>
        </>
      )}
    </Stack>
  )
}

const MOST_OPEN = 3

/** Names the requests that the change withdraws. A longer list is folded. */
function Withdrawn({ requests }: { requests: readonly NamedApproval[] }) {
  const waiting = requests.filter(({ state }) => state === 'pending')
  const list = (
    <PlainList>
      {requests.map(({ id, state, model, use_case: useCase, key_id: key, key_name: name, created_at: at }) => (
        <SignRow
          key={id}
          title={
            <>
              <Text isOneLine>{model}</Text>
              {useCase !== null && ` for ${useCase}`}
              {state === 'approved' && ', approved'}
            </>
          }
          about={
            <>
              <KeyName id={key} name={name} />, asked <time dateTime={at}>{exactTime(at)}</time>
            </>
          }
        />
      ))}
    </PlainList>
  )
  return (
    <Stack as="section" gap={2} label="Withdrawn requests">
      <WithSign as="h3" icon={held} tone="warn">
        {plural(requests.length, 'request')} will be withdrawn
      </WithSign>
      {requests.length <= MOST_OPEN ? (
        list
      ) : (
        <details>
          <summary>
            {plural(requests.length, 'request')} of {plural(new Set(requests.map((one) => one.key_id)).size, 'key')}
          </summary>
          {list}
        </details>
      )}
      <Note as="p">
        An approval belongs to one version of the policy. The programs must ask again.{' '}
        {waiting.some((one) => whyCannotDecide(one) === null) ? (
          <a href={inOrganisation('/app/approvals')}>Decide them first</a>
        ) : (
          waiting.length > 0 && 'Ask somebody else to decide them first.'
        )}
      </Note>
    </Stack>
  )
}
