// Loads a receipt and shows it in full: the signed record, how the call ended, people's decisions, and its positions in the logs.
// Also has the badge of an outcome and the source line of a printed page.
import type { PublishedKeyHistory } from '../../../evidence/records/attestation.schema.ts'
import type { Receipt } from './check-receipt-in-browser.ts'
import { sendRequest, type Answer } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { CopyableValue } from '../../parts/copy-button.view.tsx'
import { Facts, type Fact, Card } from '../../parts/page-blocks.view.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatEuro, formatMoment, formatNumber, plural } from '../../text/format.ts'
import { fetchFile, inOrganisation, session } from '../session.ts'

/** A loaded receipt. `id` is the id of the requested record, which the receipt may contradict. */
export type LoadedReceipt = { id: string; receipt: Receipt; text: Blob; bytes: Uint8Array; keys: PublishedKeyHistory }

/** Loads a receipt with its proofs, byte for byte, and the service's published keys. @param id the record's id */
export const useReceipt = (id: string) => useAnswer((signal) => loadReceipt('/api/health/receipts', id, signal), [id])

/** Loads the record of any call as `useReceipt` does. */
export const useCallRecord = (id: string) => useAnswer((signal) => loadReceipt('/api/calls', id, signal), [id])

async function loadReceipt(path: string, id: string, signal: AbortSignal): Promise<Answer<LoadedReceipt>> {
  const [file, keys] = await Promise.all([
    fetchFile('GET', `${path}/${encodeURIComponent(id)}`, { signal }),
    sendRequest<PublishedKeyHistory>('GET', '/v1/attestation/keys', { signal }),
  ])
  if (file.outcome === 'refused') return file
  if (keys.outcome === 'refused') return keys
  const { content: text } = file.body
  const bytes = new Uint8Array(await text.arrayBuffer())
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as in `sendRequest`; the checks read the bytes themselves
  const receipt = JSON.parse(new TextDecoder().decode(bytes)) as Receipt
  return { outcome: 'answered', body: { id, receipt, text, bytes, keys: keys.body }, headers: file.headers }
}

export function Decision({ receipt }: { receipt: Receipt }) {
  const { id, trace_id, created_at, model, provider, outcome, use_case, attestation } = receipt
  const facts: Fact[] = [
    ['Decided', created_at && <Moment at={created_at} />],
    ['Outcome', outcome && <OutcomeBadge outcome={outcome} />],
    ['Signed as', attestation?.outcome],
    ['Model', model],
    ['Provider', provider],
    ['Use case', use_case],
    ['Rules', attestation?.policy_applied.join(', ')],
    ['Receipt', <CopyableValue value={id} what="the id of the receipt" />],
    ['Trace', <CopyableValue value={trace_id} what="the trace id" />],
  ]
  return (
    <Card title="What was decided">
      <Facts facts={facts} />
      {receipt.details === 'expired' && (
        <p class="notice">
          The retention of the details is over. What is left is the leaf and its proofs: anyone who has kept the record
          shows with them that it is the one that was logged.
        </p>
      )}
    </Card>
  )
}

export function Ending({ settlement }: Pick<Receipt, 'settlement'>) {
  return (
    <Card title="How it ended, and what it cost">
      {settlement === null ? (
        <p class="soft">
          Nothing is settled: the call is still running, it was refused, or the time of its settlement is over.
        </p>
      ) : (
        <Facts facts={endingFacts(settlement)} />
      )}
    </Card>
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
    served_model: served,
  } = content
  return [
    ['Ended', textOf(ended)],
    ['Answered by', textOf(served)],
    ['Settled', typeof at === 'string' ? <Moment at={at} /> : null],
    ['Cost', typeof cost === 'number' ? `${formatEuro(cost / 1e6)}${estimated === true ? ', estimated' : ''}` : null],
    ['Provider took', typeof took === 'number' ? `${formatNumber(took)} ms` : null],
    ['Finish reason', textOf(finish)],
    ['Cause of failure', textOf(cause)],
    ['Entry of the log', formatNumber(proof.leaf_index)],
  ]
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export function PeoplesDecisions({ receipt: { acceptance, approval_state } }: { receipt: Receipt }) {
  return (
    <Card title="What people decided">
      {acceptance === null ? (
        <p class="soft">
          Nobody had to approve this call{approval_state === null ? '' : `, whose approval is ${approval_state}`}.
        </p>
      ) : (
        <>
          <Facts
            facts={[
              ['Approval', <CopyableValue value={acceptance.approval_id} what="the id of the approval" />],
              ['State', approval_state],
            ]}
          />
          <p class="no-print">
            <a href={inOrganisation(`/app/approvals?id=${encodeURIComponent(acceptance.approval_id)}`)}>
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
                ['By', <CopyableValue value={reviewer_ref} what="the id of the reviewer" />],
                ['As', reviewer_authority],
                ['At', <Moment at={timestamp} />],
                ['Record', <CopyableValue value={acceptance_id} what="the id of the record" />],
              ]}
            />
          ))}
        </>
      )}
    </Card>
  )
}

/** The words for each decision about a refusal. */
const DECISIONS = {
  ACCEPTED: 'ACCEPTED: the refusal holds',
  OVERRIDDEN: 'OVERRIDDEN: the refusal is set aside',
  ESCALATED: 'ESCALATED: it is passed on',
} as const

type Log = Receipt['organisation_log'] | NonNullable<Receipt['public_log']>

/** Shows the record's position in each log: the proof's path and the signed head. */
export function Proofs({ receipt }: { receipt: Receipt }) {
  const { attestation, organisation_log: own, public_log: open } = receipt
  return (
    <Card title="Proofs">
      <Facts
        facts={[
          [
            'Hash of the request',
            attestation && <CopyableValue value={attestation.request_hash} what="the hash of the request" />,
          ],
          ['Leaf', <CopyableValue value={own.proof.leaf_hash} what="the leaf hash" />],
          ['Signature', attestation && <CopyableValue value={attestation.signature} what="the signature" />],
          ['Signed by', attestation && <CopyableValue value={attestation.public_key} what="the public key" />],
        ]}
      />
      <h4>In the organisation’s log</h4>
      <LogProof log={own} signedAt="Head signed, says the service" />
      <h4>In the public log</h4>
      {open === null ? (
        <p class="soft">Not yet: the public log takes records in within 60 seconds.</p>
      ) : (
        <LogProof log={open} signedAt="Head signed" />
      )}
      {attestation !== null && (
        <details class="no-print">
          <summary>The signed record, as JSON</summary>
          <pre tabIndex={0}>{JSON.stringify(attestation, null, 2)}</pre>
        </details>
      )}
    </Card>
  )
}

/** Shows a log's proof and head. A signature covers the time of the public log's head, but not of an organisation's. */
const LogProof = ({ log: { head, proof }, signedAt }: { log: Log; signedAt: string }) => (
  <Facts
    facts={[
      ['Leaf', `${formatNumber(proof.leaf_index)} of ${plural(proof.tree_size, 'leaf', 'leaves')}`],
      ['Path', plural(proof.audit_path.length, 'hash', 'hashes')],
      ['Root', <CopyableValue value={head.root_hash} what="the root hash" />],
      [signedAt, <Moment at={head.timestamp} />],
      ['By key', <CopyableValue value={head.key_id} what="the id of the key" />],
    ]}
  />
)

/** The source line of a printed page, visible only on paper. @param what names the hashed thing */
export const PrintSource = ({ hash, what }: { hash: string; what: string }) => (
  <footer class="only-print small">
    <p>
      {session().organisation?.name}, from <span class="hash">{location.href}</span>, printed{' '}
      {formatMoment(new Date(), false)} by {session().user.name}.
    </p>
    <p>
      SHA-256 of {what}: <span class="hash">{hash}</span>
    </p>
  </footer>
)
