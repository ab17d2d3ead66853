// Shows one approval: its state, facts and decisions with their records, and a form to compare a text with the request. Also has
// the words for states and decisions, and says why a person cannot decide.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type * as z from 'zod'
import { readJsonObject } from '../../../evidence/records/read-json-object.ts'
import { requestHash } from '../../../evidence/records/canonical-json.ts'
import type { ReasonsSchema } from '../../../management/approvals/approvals.schema.ts'
import type {
  ShownApprovalWithRecords,
  DecidedApprovalSchema,
  ShownApproval,
} from '../../../organisation/approvals/approval-response.schema.ts'
import { useButtonRequest } from '../../api/use-button-request.ts'
import { Button } from '../../parts/button.view.tsx'
import { CopyButton, CopyableValue } from '../../parts/copy-button.view.tsx'
import { AreaField } from '../../parts/fields.view.tsx'
import { Answered, OpenedHeading, RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Facts, factsIf, type Fact } from '../../parts/page-blocks.view.tsx'
import { Moment, TimeLeft } from '../../parts/times.view.tsx'
import { formatEuro, formatBytes } from '../../text/format.ts'
import { KeyName, type Keys, type NameOf } from '../key-and-person-names.view.tsx'
import { callApi, hasPermission, inOrganisation, useApi, session } from '../session.ts'

const NO_APPROVAL = { not_found: 'This organisation has no request with this id.' }

type Props = {
  id: string
  keys: Keys
  nameOf: NameOf
  acts: (approval: ShownApprovalWithRecords) => ComponentChildren
  /** The number of decisions made here and of returns to the page. A change loads the approval again. */
  made: number
}

export function ApprovalCard({ id, keys, nameOf, acts, made }: Props) {
  const answer = useApi<ShownApprovalWithRecords>(`/api/approvals/${encodeURIComponent(id)}`, {}, [made])
  return (
    <Answered answer={answer} lines={16} words={NO_APPROVAL}>
      {(approval) => (
        <section class="card stack">
          <OpenedHeading>{titleOf(approval)}</OpenedHeading>
          <p>
            <StateBadge state={approval.state} />
          </p>
          <Facts facts={[...factsOf(approval, keys), ...idsOf(approval)]} />
          {acts(approval)}
          {approval.state === 'pending' && <CompareRequest hash={approval.request_hash} />}
          {approval.decisions.length > 0 && (
            <>
              <h3>Decisions</h3>
              <Decisions of={approval} nameOf={nameOf} />
              {hasPermission('content:read') && <Notes key={made} id={approval.id} nameOf={nameOf} />}
            </>
          )}
        </section>
      )}
    </Answered>
  )
}

/** Returns facts about a request that needs or needed approval. They never include its text. */
export function factsOf(of: Approval, keys: Keys): readonly Fact[] {
  const { key_id: keyId, facts, decisions, approvals_required: required, ended_at: endedAt } = of
  const given = decisions.filter(({ decision }) => decision === 'approve').length
  return [
    ['Key', <KeyName id={keyId} keys={keys} />],
    ['Asked', <Moment at={of.created_at} />],
    endedAt === null
      ? [of.state === 'pending' ? 'Time left to decide' : 'Time left to use it', <TimeLeft until={of.expires_at} />]
      : ['Ended', <Moment at={endedAt} />],
    ['Provider', `${facts.provider}${facts.stream ? ', streamed' : ''}`],
    ['Content', contentOf(of)],
    ['Most it can cost', formatEuro(facts.most_cost_eur)],
    ...factsIf(required > 1, ['Approvals', `${given} of ${required}`]),
  ]
}

const idsOf = ({
  id,
  policy_version: version,
  request_hash: hash,
  attestation_id: record,
}: ShownApprovalWithRecords): readonly Fact[] => [
  ['Version of the policy', <a href={inOrganisation(`/app/policies?version=${version}`)}>{version}</a>],
  ['Hash of the request', <CopyableValue value={hash} what="the hash of the request" />],
  [
    'Record of the refusal',
    <>
      <a class="hash" href={inOrganisation(`/app/calls?id=${record}`)}>
        {record}
      </a>{' '}
      <CopyButton text={record} what="the id of the record" />
    </>,
  ],
  ['Id', <CopyableValue value={id} what="the id of the approval" />],
]

const Decisions = ({ of, nameOf }: { of: ShownApprovalWithRecords; nameOf: NameOf }) => (
  <ul class="stack">
    {of.decisions.map(({ decision, decided_by: by, decided_at: at, counts, acceptance }) => (
      <li key={at + by}>
        {DECISION_WORDS[decision]} by {nameOf(by)}, <Moment at={at} />{' '}
        {!counts && <span class="badge soft">counts no more</span>}{' '}
        {acceptance === null ? (
          <span class="soft">(the record is not kept any more)</span>
        ) : (
          <span class="soft">
            · signed record{' '}
            <CopyButton text={JSON.stringify(acceptance, null, 2)} what="the signed record of this decision" />
          </span>
        )}
      </li>
    ))}
  </ul>
)

/** The form that compares a text with the waiting request. The browser hashes the text and sends nothing. */
function CompareRequest({ hash }: { hash: string }) {
  const [text, setText] = useState('')
  return (
    <details>
      <summary>Is this the request that you have seen?</summary>
      <div class="stack">
        <p>
          The text of a request that waits is not kept: see it where it comes from. Its body makes the same hash as the
          one above. The body stays in this page.
        </p>
        <AreaField label="Body of the request, as JSON" spellcheck={false} value={text} onValue={setText} />
        <p role="status">{text.trim() === '' ? '' : comparisonText(text, hash)}</p>
      </div>
    </details>
  )
}

function comparisonText(text: string, hash: string): string {
  const read = readJsonObject(new TextEncoder().encode(text))
  if (!read.readable) return 'This is not one JSON object.'
  try {
    return requestHash(read.object) === hash
      ? 'The same: this is the request that waits.'
      : 'Another: this is not the request that waits.'
  } catch {
    return 'This has no canonical form.'
  }
}

type Reasons = z.infer<typeof ReasonsSchema>

/** Shows the stored notes of decisions. The log records who reads them, so they load only when a person asks. */
function Notes({ id, nameOf }: { id: string; nameOf: NameOf }) {
  const {
    ask,
    isAsking,
    problem,
    body: reasons,
  } = useButtonRequest(() => callApi<Reasons>('GET', `/api/approvals/${id}/reasons`))
  return (
    <>
      {reasons === null && (
        <p class="row">
          <Button isDisabled={isAsking} onClick={ask}>
            Read the notes
          </Button>
          <span class="soft small">The ledger says who has read them.</span>
        </p>
      )}
      {problem !== null && <RefusalNotice problem={problem} />}
      <div role="status" class="stack">
        {reasons !== null && reasons.data.length === 0 && <p>No note was given.</p>}
        {reasons?.data.map(({ acceptance_id: record, decided_by: by, reason }) => (
          <blockquote key={record} class="notice">
            <p>{reason ?? 'This note is not kept.'}</p>
            <p class="soft small">{nameOf(by)}</p>
          </blockquote>
        ))}
      </div>
    </>
  )
}

export type Approval = ShownApproval | ShownApprovalWithRecords
export type Decided = z.infer<typeof DecidedApprovalSchema>
export type Decision = Approval['decisions'][number]['decision']
export type State = Approval['state']

const STATES: Readonly<Record<State, readonly [words: string, look: 'good' | 'warn' | 'bad' | 'soft']>> = {
  pending: ['Waiting', 'warn'],
  approved: ['Approved', 'good'],
  claimed: ['Running', 'good'],
  executed: ['Has run', 'good'],
  denied: ['Denied', 'bad'],
  expired: ['Expired', 'soft'],
  withdrawn: ['Withdrawn', 'soft'],
}

export const stateWords = (state: State): string => STATES[state][0]

export const StateBadge = ({ state }: { state: State }) => (
  <span class={`badge ${STATES[state][1]}`}>{stateWords(state)}</span>
)

export const DECIDED_STATES = Object.keys(STATES).filter(
  (state): state is State => state in STATES && state !== 'pending',
)

export const DECISION_WORDS: Readonly<Record<Decision, string>> = {
  approve: 'approved',
  deny: 'denied',
  escalate: 'passed on',
}

export const titleOf = ({ model, use_case: useCase }: Approval): string =>
  useCase === null ? model : `${model} for ${useCase}`

const contentOf = ({ facts: { content_kinds: kinds, bytes } }: Approval): string =>
  `${kinds.length === 0 ? 'no content' : kinds.join(', ')}, ${formatBytes(bytes)}`

/** Returns why this person cannot decide the approval, or null if the page knows no reason. The service decides. */
export function whyCannotDecide(approval: Approval, keys: Keys): string | null {
  if (!hasPermission('approvals:decide')) return 'Owners, admins and clinicians decide.'
  const { id } = session().user
  if (isMakerOfKey(id, approval.key_id, keys)) return 'A key that you made asks for this: somebody else decides.'
  const own = approval.decisions.findLast((one) => one.decided_by === id && one.counts)
  if (own === undefined) return null
  return `You have ${own.decision === 'escalate' ? 'passed it on' : 'approved it'}: it waits for somebody else.`
}

/** True if the person made the key, or a key that made it, and so on. */
function isMakerOfKey(person: string, keyId: string, keys: Keys): boolean {
  const seen = new Set<string>()
  for (let at = keys.get(keyId); at !== undefined && !seen.has(at.id); at = keys.get(at.created_by)) {
    if (at.created_by === person) return true
    seen.add(at.id)
  }
  return false
}
