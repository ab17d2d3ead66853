// Playground: how a call ended: its answer, or why there is none, with its outcome, time, tokens and cost.
import { SHOWN_OUTCOMES, type ShownOutcome } from '../../../evidence/records/call-endings.ts'
import { CopyButton } from '../../parts/copy-button.view.tsx'
import { ProblemNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { Facts, factsIf, Notice } from '../../parts/page-blocks.view.tsx'
import { formatElapsed, formatEuro, formatNumber, formatWait } from '../../text/format.ts'
import { reasonName, ruleName } from '../../text/rule-names.ts'
import { inOrganisation, callApi, hasPermission, session } from '../session.ts'
import type { CallResult } from './send-call.ts'
import { OnlyRead, Row, Note, Text } from '../../parts/layout.view.tsx'
import { ButtonLink, EmptyNotice, Letter, HeadedCard, Remark } from '../../parts/surfaces.view.tsx'
import { useLayoutEffect, useState } from 'preact/hooks'
import { may, rolesWith } from '../../../accounts/access/roles.policy.ts'
import type { ApprovalState } from '../../../organisation/journal/state/approval.schema.ts'
import type { ShownApprovalWithRecords } from '../../../organisation/approvals/approval-response.schema.ts'
import { Button } from '../../parts/button.view.tsx'
import { useNow } from '../../parts/times.view.tsx'
import { useLoadedPeople } from '../key-and-person-names.view.tsx'
import { STATES } from '../approvals/approval-words.ts'
import { endOfKey } from './playground-key.ts'

/** What will be here, before the first call. */
export const NoAnswerYet = () => (
  <EmptyNotice title="The answer comes here">
    With its outcome, cost, tokens and time, and the signed record of the decision, checked in this browser. A call that
    your policy blocks or holds shows its rule, its reason and its record instead.
  </EmptyNotice>
)

const comingTitle = (text: string): string => (text === '' ? 'Sent, no answer yet' : 'The answer is coming')

export type CallState =
  | { step: 'none' }
  | { step: 'sending'; text: string }
  | { step: 'ended'; result: CallResult; at: number }

/** Tells screen readers where the call is. */
export const CallStatus = ({ state }: { state: CallState }) => (
  <OnlyRead as="p" role="status">
    {state.step === 'sending' && comingTitle(state.text)}
    {state.step === 'ended' && titleOf(endOf(state.result))}
  </OnlyRead>
)

/** The answer as it comes. */
export const ComingAnswer = ({ text }: { text: string }) => (
  <HeadedCard title={comingTitle(text)}>{text === '' ? <Skeleton lines={1} /> : <Letter>{text}</Letter>}</HeadedCard>
)

/** `onApproved` sends the same call again with an approval. */
type Props = { result: CallResult; onApproved: (approval: string) => void }

export function EndedCall({ result, onApproved }: Props) {
  const shown = endOf(result)
  const { text, problem } = result
  return (
    <HeadedCard
      title={
        <>
          {titleOf(shown)} {hasOutcome(shown) && <OutcomeBadge outcome={shown} />}
        </>
      }
      act={
        <Row as="span" tone="soft" size="small">
          {figuresOf(result)} {text !== '' && <CopyButton text={text} what="the answer" />}
        </Row>
      }
    >
      {text !== '' && <Letter>{text}</Letter>}
      {shown === 'held' && <HeldCall result={result} onApproved={onApproved} />}
      {problem !== null &&
        shown !== 'held' &&
        (hasOutcome(shown) && shown !== 'failed' ? <Refusal problem={problem} /> : <ProblemNotice problem={problem} />)}
      {shown === 'left' && (
        <p>You stopped it. The provider may have done the work all the same; what it cost is in the list of calls.</p>
      )}
      <AfterText result={result} />
    </HeadedCard>
  )
}

/** `left`: the person stopped it. `unsent`: refused before the policy decided, so there is no record. `unknown`: no response came. */
type End = ShownOutcome | 'left' | 'unsent' | 'unknown'

function titleOf(end: End): string {
  switch (end) {
    case 'passed':
      return 'Answer'
    case 'held':
      return 'No answer yet'
    case 'blocked':
    case 'suppressed':
      return 'No answer'
    case 'failed':
    case 'stopped':
      return 'No whole answer'
    case 'left':
      return 'Stopped'
    case 'unsent':
      return 'Not sent to a provider'
    case 'unknown':
      return 'No answer came'
  }
}

export const hasOutcome = (end: End): end is ShownOutcome => SHOWN_OUTCOMES.some(({ name }) => name === end)

export function endOf({ state, problem, recordId }: CallResult): End {
  if (state !== 'refused' || problem === null) return state === 'stopped' ? 'left' : 'passed'
  if (recordId === null) return problem.status === 0 ? 'unknown' : 'unsent'
  switch (problem.code) {
    case 'approval_required':
      return 'held'
    case 'policy_blocked':
    case 'model_not_allowed':
      return 'blocked'
    case 'loop_detected':
      return 'suppressed'
    case 'answer_blocked':
      return 'stopped'
    default:
      return 'failed'
  }
}

function figuresOf({ tookMs, usage, aqta }: CallResult): string {
  const tokens =
    usage === null
      ? []
      : [`${formatNumber(usage.prompt_tokens)} tokens in`, `${formatNumber(usage.completion_tokens)} out`]
  const cost = aqta === null ? [] : [`${formatEuro(aqta.cost_eur)}${aqta.cost_estimated === true ? ', estimated' : ''}`]
  return [formatElapsed(tookMs), ...tokens, ...cost].join(', ')
}

/** Why the organisation's decision refused the call: its rule and reason. */
function Refusal({ problem }: { problem: NonNullable<CallResult['problem']> }) {
  const { policy: rule, reason } = problem.error
  return (
    <>
      <p>{problem.message}</p>
      <Facts
        facts={[
          ...factsIf(typeof rule === 'string', ['Rule', ruleName(String(rule))]),
          ...factsIf(typeof reason === 'string', ['Reason', reasonName(String(reason))]),
          ...factsIf(problem.retryAfterSeconds !== null, ['Again in', formatWait(problem.retryAfterSeconds ?? 0)]),
        ]}
      />
      <p>
        <ButtonLink href={inOrganisation('/app/policies')}>See the policy</ButtonLink>
      </p>
    </>
  )
}

function AfterText({ result: { state, finishReason, dropped, aqta, recordId, problem } }: Pick<Props, 'result'>) {
  const notes = [
    state === 'answered' &&
      recordId !== null &&
      'The signature below proves what was decided, not that the answer is right.',
    finishReason === 'length' && 'The answer ends at the limit of output tokens.',
    aqta?.cached === true && 'The organisation’s cache gave the answer: no provider was asked.',
    dropped !== null && `The model does not take these parameters, so they were left out or lowered: ${dropped}.`,
    recordId === null &&
      (problem?.status ?? 0) > 0 &&
      `There is no record: a call refused for ${problem?.status === 400 ? 'its form' : 'a key, a limit or a budget'} leaves none.`,
  ].filter((note) => note !== false)
  return <>{notes.length > 0 && <Note as="p">{notes.join(' ')}</Note>}</>
}

type HeldProps = { result: CallResult; onApproved: (approval: string) => void }

function HeldCall({ result: { problem, request }, onApproved }: HeldProps) {
  const { approval_id: id, expires_at: until } = problem?.error ?? {}
  const approval = typeof id === 'string' ? id : ''
  const state = useApprovalState(approval)
  const approvers = useApprovers()
  const [keyEnd] = useState(endOfKey)
  // Without an id nothing waits: there are too many requests already, or the approval that was sent is of no use.
  if (approval === '') return <p>{problem?.message}</p>
  const link = inOrganisation(`/app/approvals?id=${encodeURIComponent(approval)}`)
  return (
    <>
      <p>Your policy holds this call until another person approves it. Nothing was sent to a provider.</p>
      {state === 'pending' && <Until end={Math.min(keyEnd, Date.parse(String(until)))} />}
      <Facts
        facts={[
          ['Held by', ruleName('human_approval')],
          [
            'Who may approve',
            <>
              {approvers}
              <Note as="p">Not you: you made the key.</Note>
            </>,
          ],
          ['Request', [STATES[state].words, NEXT[state]].join('')],
        ]}
      />
      <Note as="p">
        After approval the same call is sent again with{' '}
        <Text isOneLine>
          <code>x-aqta-approval</code>
        </Text>
        .
      </Note>
      <Row as="p">
        {state === 'approved' ? (
          <Button onClick={() => onApproved(approval)}>Send the approved call</Button>
        ) : (
          <ButtonLink href={link} target="_blank">
            See the request <OnlyRead>(in a new tab)</OnlyRead>
          </ButtonLink>
        )}
        <CopyButton
          look=""
          text={JSON.stringify(request.body, null, 2)}
          label="Copy request text"
          what="to compare it"
        />
        <CopyButton look="" text={`${location.origin}${link}`} label="Copy approver link" what="to this request" />
      </Row>
    </>
  )
}

/** Only the key of this page can send the call again, and only this tab has the key. @param end of the key or of the request */
function Until({ end }: { end: number }) {
  const at = new Date(end).toISOString()
  if (end <= useNow()) {
    return <Remark tone="warn">The playground’s key has ended. Send the call again to ask anew.</Remark>
  }
  return (
    <Notice
      tone="warn"
      title={
        <>
          It must be approved by <time dateTime={at}>{at.slice('YYYY-MM-DDT'.length, -':00.000Z'.length)} UTC</time>
        </>
      }
    >
      The playground’s key ends then. Keep this tab open: only this tab can send the approved call.
    </Notice>
  )
}

/** What follows the word for a state. */
const NEXT: Readonly<Partial<Record<ApprovalState, string>>> = {
  pending: ' for a person',
  approved: ': send it within the hour',
  denied: ': change the call, or ask that person why',
  expired: ': send the call again to ask once more',
  withdrawn: ': the policy or the key has changed',
}

const LOOK_AGAIN_MS = 3_000

/** Looks at the approval every few seconds, until nobody can change it any more. */
function useApprovalState(id: string): ApprovalState {
  const [state, setState] = useState<ApprovalState>('pending')
  useLayoutEffect(() => {
    if (id === '' || state !== 'pending' || !hasPermission('approvals:read')) return undefined
    const look = async (): Promise<void> => {
      const answer = await callApi<ShownApprovalWithRecords>('GET', `/api/approvals/${id}`)
      if (answer.outcome === 'answered') setState(answer.body.state)
    }
    const timer = setInterval(() => void look(), LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [id, state])
  return state
}

/** Returns the names of those who may approve, for roles that see the members; their roles for others. */
function useApprovers(): string {
  const { members } = useLoadedPeople() ?? { members: [] }
  if (members.length === 0) return `Another person with the role ${rolesWith('approvals:decide').join(', ')}`
  const names = members
    .filter(({ id, role }) => may(role, 'approvals:decide') && id !== session().user.id)
    .map(({ name }) => name)
  return names.length === 0 ? 'Nobody else yet: invite a second person under Members' : names.join(', ')
}
