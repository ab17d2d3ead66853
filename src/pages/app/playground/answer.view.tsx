// Playground: how a call ended: its answer, or why there is none, with its outcome, time, tokens and cost.
import { SHOWN_OUTCOMES, type ShownOutcome } from '../../../evidence/records/call-endings.ts'
import { CopyButton } from '../../parts/copy-button.view.tsx'
import { ProblemNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { Facts, factsIf } from '../../parts/page-blocks.view.tsx'
import { formatElapsed, formatEuro, formatNumber, formatWait } from '../../text/format.ts'
import { reasonName, ruleName } from '../../text/rule-names.ts'
import { inOrganisation } from '../session.ts'
import { HeldCall } from './held-call.view.tsx'
import type { CallResult } from './send-call.ts'
import { OnlyRead, Row, Note } from '../../parts/layout.view.tsx'
import { ButtonLink, EmptyNotice, Letter, HeadedCard } from '../../parts/surfaces.view.tsx'

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
      'There is no record: a call refused for a key, a limit or a budget leaves none.',
  ].filter((note) => note !== false)
  return <>{notes.length > 0 && <Note as="p">{notes.join(' ')}</Note>}</>
}
