// Audit page: the drawer about one call: its facts, cost, approvals and proofs, the mark as an incident, and its stored content.
import { StatementNote, useStatements } from '../statements/statements.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import type { AuditTrailEntrySchema } from '../../../management/audit/audit-trail.schema.ts'
import type { ContentSchema } from '../../../management/content/content.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered, type Answer, type Problem } from '../../api/send-request.ts'
import { useAnswer, type Loaded } from '../../api/use-answer.ts'
import { useButtonRequest } from '../../api/use-button-request.ts'
import { CopyableText, CopyableValue } from '../../parts/copy-button.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { saveFile } from '../../parts/save-button.view.tsx'
import { Facts, type Fact, Card, Notice } from '../../parts/page-blocks.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatEuro, formatNumber } from '../../text/format.ts'
import { ReceiptChecks } from '../evidence/receipt-checks.view.tsx'
import {
  Decision,
  Ending,
  OutcomeBadge,
  PeoplesDecisions,
  Proofs,
  useReceipt,
  type LoadedReceipt,
} from '../evidence/receipt.view.tsx'
import { withSpaces } from '../../text/reword-text.ts'
import { type KeyNames, useNamesOrIds } from '../key-and-person-names.view.tsx'
import { callApi, hasPermission, inOrganisation } from '../session.ts'
import type * as z from 'zod'

type Props = {
  /** The attestation_id of the call's record. */
  id: string
  /** The call's leaf index in the log, as the URL has it, or ''. */
  leaf: string
  /** The call's entry, or null if the loaded pages of the filtered list do not include it. */
  listed: TrailEntry | null
  keyNames: KeyNames
  onClose: () => void
}

export function CallDrawer({ id, leaf, listed, keyNames, onClose }: Props) {
  const [loaded, again] = useReceipt(id)
  const found = useEntry({ id, leaf, listed })
  const entry = found.state === 'answered' ? found.body : null
  return (
    <Dialog title="One call" isDrawer onClose={onClose}>
      {found.state === 'loading' && <Skeleton lines={20} />}
      {entry !== null && <CallFactsCard entry={entry} keyNames={keyNames} />}
      {loaded.state === 'loading' && <Skeleton lines={24} />}
      {loaded.state === 'refused' &&
        (loaded.problem.code === 'not_found' ? (
          found.state !== 'loading' && <NoReceipt id={id} isDescribed={entry !== null} />
        ) : (
          <RefusalNotice problem={loaded.problem} onRetry={again} />
        ))}
      {loaded.state === 'answered' && <CallProofs evidence={loaded.body} entry={entry} />}
      {entry !== null && <Incident trace={entry.trace_id} />}
      {RECORD_ID.test(id) && <KeptContent id={id} />}
    </Dialog>
  )
}

function CallFactsCard({ entry, keyNames }: { entry: TrailEntry; keyNames: KeyNames }) {
  const { key_id: key } = entry
  return (
    <Card title="What became of it">
      <Facts
        facts={[
          ['Decided', <Moment at={entry.timestamp} />],
          ['Outcome', <OutcomeBadge outcome={entry.outcome} />],
          ...knownFacts([
            ['Reason', entry.reason && withSpaces(entry.reason)],
            ['Ending', entry.ending && withSpaces(entry.ending)],
            ['Finish reason', entry.finish_reason],
            ['Cause of failure', entry.error_cause],
          ]),
          ['Model', entry.model],
          ...knownFacts([['Answered by', entry.served_model]]),
          ['Provider', entry.provider],
          ['Use case', entry.use_case],
          ['Cohort', entry.cohort],
          ['Key', key && (keyNames.get(key) ?? <CopyableValue value={key} what="the id of the key" />)],
          ['Rules', entry.policy_applied.join(', ')],
          [
            'Cost',
            entry.cost_eur === null
              ? null
              : `${formatEuro(entry.cost_eur)}${entry.cost_estimated === true ? ', estimated' : ''}`,
          ],
          ['Cost prevented, an estimate', formatEuro(entry.cost_prevented_eur)],
          ['Tokens in', countOf(entry.input_tokens, entry.cached_input_tokens, 'from a cache')],
          ['Tokens out', countOf(entry.output_tokens, entry.reasoning_tokens, 'of them reasoning')],
          ['Provider took', entry.response_ms === null ? null : `${formatNumber(entry.response_ms)} ms`],
          ['Trace', <CopyableValue value={entry.trace_id} what="the trace id" />],
          ['Record', <CopyableValue value={entry.attestation_id} what="the id of the record" />],
          ['Request', entry.request_id && <CopyableValue value={entry.request_id} what="the request id" />],
          ['Leaf', `${formatNumber(entry.index)} of the organisation’s log`],
          ['Leaf hash', <CopyableValue value={entry.leaf_hash} what="the leaf hash" />],
        ]}
      />
    </Card>
  )
}

const knownFacts = (facts: readonly Fact[]): readonly Fact[] => facts.filter(([, value]) => value !== null)

const countOf = (all: number | null, some: number | null, what: string): string | null =>
  all === null ? null : `${formatNumber(all)}${some === null || some === 0 ? '' : `, ${formatNumber(some)} ${what}`}`

type CallProofsProps = { evidence: LoadedReceipt; entry: TrailEntry | null }

const CallProofs = ({ evidence, entry }: CallProofsProps) => (
  <>
    {entry === null && <Decision receipt={evidence.receipt} />}
    {entry === null && <Ending settlement={evidence.receipt.settlement} />}
    <PeoplesDecisions receipt={evidence.receipt} />
    <ReceiptChecks evidence={evidence} entry={entry} />
    <Proofs receipt={evidence.receipt} />
    <p class="row">
      <Button onClick={() => saveFile({ name: `receipt-${evidence.receipt.id}.json`, content: evidence.text })}>
        Save the record with its proofs
      </Button>
      <a href={inOrganisation(`/app/receipts?id=${encodeURIComponent(evidence.id)}`)}>As a page, to print</a>
    </p>
  </>
)

const RECORD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** SECURITY: anybody may have written the id in the URL. Only a valid id is put into a command line. */
const NoReceipt = ({ id, isDescribed }: { id: string; isDescribed: boolean }) =>
  RECORD_ID.test(id) ? (
    <Card title="Its record and proofs are not among the medical receipts">
      <p>
        {isDescribed
          ? 'The policy does not call its use case medical, so what stands above is the service’s word.'
          : 'The policy does not call its use case medical, or no call of the organisation has this id. If you know its day, look at the calls of that day.'}{' '}
        Any gateway key of the organisation can ask for them, to be checked without this service:
      </p>
      <CopyableText
        line={`curl -sf "${location.origin}/v1/attestations/${id}?bundle=true" -H "authorization: Bearer $KEY" > evidence.json`}
      />
    </Card>
  ) : (
    <Notice role="status" title="No call has this id">
      It is not the id of a record. Check the link that led here.
    </Notice>
  )

/** Lets a person mark a call as an incident, by a statement. The checklist and reports then include it. */
function Incident({ trace }: { trace: string }) {
  const statements = useStatements()
  const nameOf = useNamesOrIds()
  return (
    <Card title="Is it an incident?">
      <p>Whoever states so marks it: its receipt can be found again by that. What happened is reported elsewhere.</p>
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

/** Loads the call's entry. @param leaf its log index in the URL @param listed its entry in the list; null if not loaded */
function useEntry({
  id,
  leaf,
  listed,
}: {
  id: string
  leaf: string
  listed: TrailEntry | null
}): Loaded<TrailEntry | null> {
  const isAsked = listed === null && POSITION.test(leaf)
  const [loaded] = useAnswer<TrailEntry | null>(
    (signal) => (isAsked ? entryAt({ id, leaf }, signal) : Promise.resolve(answered(null))),
    [id, leaf, isAsked],
  )
  return listed === null ? loaded : { state: 'answered', body: listed }
}

async function entryAt(
  { id, leaf }: { id: string; leaf: string },
  signal: AbortSignal,
): Promise<Answer<TrailEntry | null>> {
  const start = new Date(Date.now() - LONGEST_DAYS * DAY_MS).toISOString().slice(0, 10)
  const query = { start, cursor: Number(leaf) + 1, limit: 1 }
  const answer = await callApi<List<TrailEntry>>('GET', '/api/compliance/audit-trail', { query, signal })
  if (answer.outcome === 'refused') return answer
  return { ...answer, body: answer.body.data.find(({ attestation_id }) => attestation_id === id) ?? null }
}

export type TrailEntry = z.infer<typeof AuditTrailEntrySchema>
