// What a receipt has of a call: the signed record, how the call ended, what people decided about it.
import { inOrganisation, type Session } from '../../api/session.ts'
import { Exact } from '../../parts/exact.view.tsx'
import { Facts, type Fact } from '../../parts/facts.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { formatEuro, formatNumber } from '../../text/format.ts'
import { OutcomeBadge } from './outcome-badge.view.tsx'
import type { Receipt } from './use-evidence.ts'

export function Decision({ receipt }: { receipt: Receipt }) {
  const { id, trace_id, created_at, model, provider, outcome, use_case, attestation } = receipt
  const facts: Fact[] = [
    ['Decided', created_at && <Moment at={created_at} />],
    ['Outcome', outcome && <OutcomeBadge outcome={outcome} />],
    ['Model', model],
    ['Provider', provider],
    ['Use case', use_case],
    ['Rules', attestation?.policy_applied.join(', ')],
    ['Receipt', <Exact value={id} what="the id of the receipt" />],
    ['Trace', <Exact value={trace_id} what="the trace id" />],
  ]
  return (
    <section class="card stack" aria-labelledby="decision">
      <h3 id="decision">What was decided</h3>
      <Facts facts={facts} />
      {receipt.details === 'expired' && (
        <p class="notice">
          The retention of the details is over. What is left is the leaf and its proofs: whoever has kept the record
          shows with them that it is the one that was logged.
        </p>
      )}
    </section>
  )
}

export function Ending({ settlement }: Pick<Receipt, 'settlement'>) {
  return (
    <section class="card stack" aria-labelledby="ending">
      <h3 id="ending">How it ended, and what it cost</h3>
      {settlement === null ? (
        <p class="soft">
          Nothing is settled: the call is still running, it was refused, or the time of its settlement is over.
        </p>
      ) : (
        <Facts facts={endingFacts(settlement)} />
      )}
    </section>
  )
}

function endingFacts({ content, proof }: NonNullable<Receipt['settlement']>): Fact[] {
  const {
    ended,
    at,
    cost_microeur: cost,
    estimated,
    upstream_ms: took,
    finish_reason: finish,
    error_cause: cause,
  } = content
  return [
    ['Ended', textOf(ended)],
    ['Settled', typeof at === 'string' ? <Moment at={at} /> : null],
    ['Cost', typeof cost === 'number' ? `${formatEuro(cost / 1e6)}${estimated === true ? ', estimated' : ''}` : null],
    ['Provider took', typeof took === 'number' ? `${formatNumber(took)} ms` : null],
    ['Finish reason', textOf(finish)],
    ['Cause of failure', textOf(cause)],
    ['Entry of the log', formatNumber(proof.leaf_index)],
  ]
}

type Decided = { session: Session; receipt: Receipt }

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export function PeoplesDecisions({ session, receipt: { acceptance, approval_state } }: Decided) {
  return (
    <section class="card stack" aria-labelledby="approval">
      <h3 id="approval">What people decided</h3>
      {acceptance === null ? (
        <p class="soft">
          Nobody had to approve this call{approval_state === null ? '' : `, whose approval is ${approval_state}`}.
        </p>
      ) : (
        <>
          <Facts
            facts={[
              ['Approval', <Exact value={acceptance.approval_id} what="the id of the approval" />],
              ['State', approval_state],
            ]}
          />
          <p class="no-print">
            <a href={inOrganisation(session, `/app/approvals?id=${encodeURIComponent(acceptance.approval_id)}`)}>
              Open the approval
            </a>
          </p>
          {acceptance.records.length === 0 && (
            <p class="soft">Nobody has decided about it, or the records are not kept any more.</p>
          )}
          {acceptance.records.map(({ acceptance_id, decision, reviewer_ref, reviewer_authority, timestamp }) => (
            <Facts
              key={acceptance_id}
              facts={[
                ['Decision about the refusal', DECISIONS[decision]],
                ['By', <Exact value={reviewer_ref} what="the id of the reviewer" />],
                ['As', reviewer_authority],
                ['At', <Moment at={timestamp} />],
                ['Record', <Exact value={acceptance_id} what="the id of the record" />],
              ]}
            />
          ))}
        </>
      )}
    </section>
  )
}

/** What each word of the record says of the refusal that it is about. */
const DECISIONS = {
  ACCEPTED: 'ACCEPTED: the refusal stands',
  OVERRIDDEN: 'OVERRIDDEN: the refusal is set aside',
  ESCALATED: 'ESCALATED: it is passed on',
} as const
