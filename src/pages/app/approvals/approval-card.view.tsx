// One approval whole: the facts, the decisions with their records, and what shows that a text at hand is the request.
import type { ComponentChildren } from 'preact'
import type { Key } from '../../../keys/key.schema.ts'
import type { ShownWithRecords } from '../../../organisation/approvals/shown-approval.schema.ts'
import { inOrganisation, type Session } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { CopyButton } from '../../parts/copy-button.view.tsx'
import { Exact } from '../../parts/exact.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { OpenedHeading } from '../../parts/opened-heading.view.tsx'
import { Refusal } from '../../parts/refusal.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { inWords } from '../../text/in-words.ts'
import { callIn } from '../call-in.ts'
import { mayIn } from '../may-in.ts'
import { DECISION_WORDS, STATES, titleOf } from './approval-words.ts'
import { CompareRequest } from './compare-request.view.tsx'
import { Facts } from './facts.view.tsx'
import { Notes } from './notes.view.tsx'

const NO_APPROVAL = { not_found: 'This organisation has no request with this id.' }

type Given = {
  session: Session
  id: string
  keys: ReadonlyMap<string, Key>
  nameOf: (id: string) => string
  acts: (approval: ShownWithRecords) => ComponentChildren
  /** Counts the decisions that were made here, and how often somebody came back to the page. */
  made: number
}

export function ApprovalCard({ session, id, keys, nameOf, acts, made }: Given) {
  const [loaded, again] = useAnswer<ShownWithRecords>(
    (signal) => callIn<ShownWithRecords>(session, 'GET', `/api/approvals/${encodeURIComponent(id)}`, { signal }),
    [id, made],
  )
  if (loaded.state === 'loading') return <Skeleton lines={16} />
  if (loaded.state === 'refused') return <Refusal problem={inWords(loaded.problem, NO_APPROVAL)} onRetry={again} />
  const approval = loaded.body
  const { words, look } = STATES[approval.state]
  return (
    <section class="card stack">
      <OpenedHeading>{titleOf(approval)}</OpenedHeading>
      <p>
        <span class={`badge ${look}`}>{words}</span>
      </p>
      <dl class="facts">
        <Facts of={approval} keys={keys} />
        <dt>Version of the policy</dt>
        <dd>
          <a href={inOrganisation(session, `/app/policies?version=${approval.policy_version}`)}>
            {approval.policy_version}
          </a>
        </dd>
        <dt>Hash of the request</dt>
        <dd>
          <Exact value={approval.request_hash} what="the hash of the request" />
        </dd>
        <dt>Record of the refusal</dt>
        <dd>
          <a class="hash" href={inOrganisation(session, `/app/audit?id=${approval.attestation_id}`)}>
            {approval.attestation_id}
          </a>{' '}
          <CopyButton text={approval.attestation_id} what="the id of the record" />
        </dd>
        <dt>Id</dt>
        <dd>
          <Exact value={approval.id} what="the id of the approval" />
        </dd>
      </dl>
      {acts(approval)}
      {approval.state === 'pending' && <CompareRequest hash={approval.request_hash} />}
      {approval.decisions.length > 0 && (
        <>
          <h3>Decisions</h3>
          <Decisions of={approval} nameOf={nameOf} />
          {mayIn(session, 'content:read') && <Notes key={made} session={session} id={approval.id} nameOf={nameOf} />}
        </>
      )}
    </section>
  )
}

function Decisions({ of, nameOf }: { of: ShownWithRecords; nameOf: (id: string) => string }) {
  return (
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
}
