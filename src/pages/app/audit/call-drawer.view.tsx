// Audit page: the drawer about one call: its facts, cost, approvals and proofs, the mark as an incident, and its stored content.
import { StatementNote, useStatements } from '../statements/statements.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import type { Call } from '../../../management/calls/calls.schema.ts'
import type { ContentSchema } from '../../../management/content/content.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered, type Answer, type Problem } from '../../api/send-request.ts'
import { useAnswer, type Loaded } from '../../api/use-answer.ts'
import { useButtonRequest } from '../../api/use-button-request.ts'
import { CopyableValue } from '../../parts/copy-button.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { saveFile } from '../../parts/save-button.view.tsx'
import { Facts, type Fact, Card, Notice } from '../../parts/page-blocks.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatEuro, formatNumber } from '../../text/format.ts'
import { BrowserChecks } from '../evidence/browser-checks.view.tsx'
import {
  Decision,
  Ending,
  PeoplesDecisions,
  Proofs,
  useCallRecord,
  type LoadedReceipt,
} from '../evidence/receipt.view.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { withSpaces } from '../../text/reword-text.ts'
import { type KeyNames, useNamesOrIds } from '../key-and-person-names.view.tsx'
import { callApi, hasPermission, inOrganisation } from '../session.ts'
import type * as z from 'zod'

type Props = {
  /** The id of the call's record. */
  id: string
  /** The call's leaf index in the log, as the URL has it, or ''. */
  leaf: string
  /** The call, or null if the loaded pages of the list do not include it. */
  listed: Call | null
  keyNames: KeyNames
  /** True if the caller may read all calls with their proofs. */
  isWhole: boolean
  onClose: () => void
}

export function CallDrawer({ id, leaf, listed, keyNames, isWhole, onClose }: Props) {
  const found = useCall({ id, leaf: isWhole ? leaf : '', listed })
  const call = found.state === 'answered' ? found.body : null
  return (
    <Dialog title="One call" isDrawer onClose={onClose}>
      {found.state === 'loading' && <Skeleton lines={20} />}
      {call !== null && <CallFactsCard call={call} keyNames={keyNames} />}
      {isWhole && RECORD_ID.test(id) && <RecordAndProofs id={id} call={call} />}
      {!isWhole && call !== null && <RecordAlone call={call} />}
      {found.state !== 'loading' && call === null && (!isWhole || !RECORD_ID.test(id)) && <NoCall />}
      {isWhole && call !== null && <Incident trace={call.trace_id} />}
      {isWhole && RECORD_ID.test(id) && <KeptContent id={id} />}
    </Dialog>
  )
}

function RecordAndProofs({ id, call }: { id: string; call: Call | null }) {
  const [loaded, again] = useCallRecord(id)
  if (loaded.state === 'loading') return <Skeleton lines={24} />
  if (loaded.state === 'answered') return <CallProofs evidence={loaded.body} call={call} />
  return loaded.problem.code === 'not_found' ? <NoCall /> : <RefusalNotice problem={loaded.problem} onRetry={again} />
}

/** Shows the signed record, which every tier has. */
const RecordAlone = ({ call: { record, id } }: { call: Call }) => (
  <Card title="The signed record">
    {record === null ? (
      <p class="soft">It cannot be read or signed again.</p>
    ) : (
      <>
        <p>
          <Button
            onClick={() =>
              saveFile({ name: `record-${id}.json`, content: new Blob([JSON.stringify(record, null, 2)]) })
            }
          >
            Save the record
          </Button>{' '}
          Check it at <a href="/verify">Verify</a>, with the network off.
        </p>
        <pre tabIndex={0}>{JSON.stringify(record, null, 2)}</pre>
      </>
    )}
  </Card>
)

function CallFactsCard({ call, keyNames }: { call: Call; keyNames: KeyNames }) {
  const { key_id: key, approval } = call
  return (
    <Card title="How it ended">
      <Facts
        facts={[
          ['Decided', <Moment at={call.created_at} />],
          ['Outcome', <OutcomeBadge outcome={call.outcome} ending={call.ending} />],
          ['Signed as', call.signed_outcome],
          ...knownFacts([
            ['Stopped by', call.rule && withSpaces(call.rule)],
            ['Reason', call.reason && withSpaces(call.reason)],
            ['Policy version', call.policy_version && String(call.policy_version)],
            ['Ending', withSpaces(call.ending)],
            ['Approval', approval && <ApprovalOfCall approval={approval} />],
            ['Finish reason', call.finish_reason],
            ['Cause of failure', call.error_cause],
          ]),
          ['Model', call.model],
          ...knownFacts([['Answered by', call.served_model]]),
          ['Provider', call.provider],
          ['Use case', call.use_case],
          ['Cohort', call.cohort],
          ['Key', key && (keyNames.get(key) ?? <CopyableValue value={key} what="the id of the key" />)],
          ['Rules', call.policy_applied.join(', ')],
          [
            'Cost',
            call.cost_eur === null
              ? null
              : `${formatEuro(call.cost_eur)}${call.cost_estimated === true ? ', estimated' : ''}`,
          ],
          ['Cost prevented, an estimate', formatEuro(call.cost_prevented_eur)],
          ['Tokens in', countOf(call.input_tokens, call.cached_input_tokens, 'from a cache')],
          ['Tokens out', countOf(call.output_tokens, call.reasoning_tokens, 'of them reasoning')],
          ['Provider took', call.response_ms === null ? null : `${formatNumber(call.response_ms)} ms`],
          ['Trace', <CopyableValue value={call.trace_id} what="the trace id" />],
          ['Record', <CopyableValue value={call.id} what="the id of the record" />],
          ['Request', call.request_id && <CopyableValue value={call.request_id} what="the request id" />],
          ['Leaf', `${formatNumber(call.index)} of the organisation’s log`],
          ['Leaf hash', <CopyableValue value={call.leaf_hash} what="the leaf hash" />],
        ]}
      />
    </Card>
  )
}

const ApprovalOfCall = ({ approval: { id, state, requested_at } }: { approval: NonNullable<Call['approval']> }) => (
  <>
    <a href={inOrganisation(`/app/approvals?id=${encodeURIComponent(id)}`)}>{state ?? 'no longer stored'}</a>
    {requested_at !== null && (
      <>
        , requested <Moment at={requested_at} />
      </>
    )}
  </>
)

const knownFacts = (facts: readonly Fact[]): readonly Fact[] => facts.filter(([, value]) => value !== null)

const countOf = (all: number | null, some: number | null, what: string): string | null =>
  all === null ? null : `${formatNumber(all)}${some === null || some === 0 ? '' : `, ${formatNumber(some)} ${what}`}`

type CallProofsProps = { evidence: LoadedReceipt; call: Call | null }

const CallProofs = ({ evidence, call }: CallProofsProps) => (
  <>
    {call === null && <Decision receipt={evidence.receipt} />}
    {call === null && <Ending settlement={evidence.receipt.settlement} />}
    <PeoplesDecisions receipt={evidence.receipt} />
    <BrowserChecks evidence={evidence} call={call} />
    <Proofs receipt={evidence.receipt} />
    <p class="row">
      <Button onClick={() => saveFile({ name: `call-${evidence.receipt.id}.json`, content: evidence.text })}>
        Save the record with its proofs
      </Button>
    </p>
  </>
)

const RECORD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const NoCall = () => (
  <Notice role="status" title="No call has this id">
    It is not the id of a call of this organisation. Check the link that led here.
  </Notice>
)

/** Lets a person mark a call as an incident, by a statement. The checklist and reports then include it. */
function Incident({ trace }: { trace: string }) {
  const statements = useStatements()
  const nameOf = useNamesOrIds()
  return (
    <Card title="Is it an incident?">
      <p>
        A caller that states so marks the receipt, so that it can be found again. What happened is reported elsewhere.
      </p>
      <StatementNote
        statements={statements}
        subject={`incident:${trace}`}
        what="this call as an incident"
        nameOf={nameOf}
      />
    </Card>
  )
}

type Content = z.infer<typeof ContentSchema>

/** Shows the stored request and answer. The log records each access, so they load only when a person asks. */
function KeptContent({ id }: { id: string }) {
  const { ask, body, problem } = useButtonRequest(() =>
    callApi<Content>('GET', `/api/compliance/content/${encodeURIComponent(id)}`),
  )
  if (!hasPermission('content:read')) return null
  return (
    <Card title="What was asked and answered">
      <p>Kept only where the organisation chose so. The ledger says that you read it, before you have it.</p>
      {body === null && (
        <p>
          <Button onClick={ask}>Read it, and have that written down</Button>
        </p>
      )}
      {problem !== null && <ContentProblem problem={problem} />}
      {body !== null && <KeptContentShown content={body} />}
    </Card>
  )
}

/** Says that the content was not stored. It looks calm, because nothing has failed. */
const ContentProblem = ({ problem }: { problem: Problem }) =>
  problem.code === 'not_found' ? (
    <p class="notice" role="status">
      {problem.message}
    </p>
  ) : (
    <RefusalNotice problem={problem} />
  )

const KeptContentShown = ({ content: { request, answer, truncated } }: { content: Content }) => (
  <>
    <h4>The request</h4>
    <pre tabIndex={0}>{JSON.stringify(request, null, 2)}</pre>
    <h4>The answer</h4>
    {answer === null ? (
      <p class="soft">Nothing was answered.</p>
    ) : (
      <pre tabIndex={0}>{JSON.stringify(answer, null, 2)}</pre>
    )}
    {truncated && <p class="soft">The end of the answer is left out.</p>}
  </>
)

/** The longest time, in days, for which any tier stores the details of a call. */
const LONGEST_DAYS = 7 * 365
const DAY_MS = 86_400_000

const POSITION = /^(?:0|[1-9]\d{0,13})$/

/** Loads the call. @param leaf its log index in the URL @param listed the call in the list; null if not loaded */
function useCall({ id, leaf, listed }: { id: string; leaf: string; listed: Call | null }): Loaded<Call | null> {
  const isAsked = listed === null && POSITION.test(leaf)
  const [loaded] = useAnswer<Call | null>(
    (signal) => (isAsked ? callAt({ id, leaf }, signal) : Promise.resolve(answered(null))),
    [id, leaf, isAsked],
  )
  return listed === null ? loaded : { state: 'answered', body: listed }
}

async function callAt({ id, leaf }: { id: string; leaf: string }, signal: AbortSignal): Promise<Answer<Call | null>> {
  const start = new Date(Date.now() - LONGEST_DAYS * DAY_MS).toISOString().slice(0, 10)
  const query = { start, cursor: Number(leaf) + 1, limit: 1 }
  const answer = await callApi<List<Call>>('GET', '/api/calls', { query, signal })
  if (answer.outcome === 'refused') return answer
  return { ...answer, body: answer.body.data.find((call) => call.id === id) ?? null }
}
