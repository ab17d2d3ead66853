// Where a record is in the logs, by what path, and under which signed head.
import { Exact } from '../../parts/exact.view.tsx'
import { Facts } from '../../parts/facts.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import type { Receipt } from './use-evidence.ts'

type Log = Receipt['organisation_log'] | NonNullable<Receipt['public_log']>

export function Proofs({ receipt }: { receipt: Receipt }) {
  const { attestation, organisation_log: own, public_log: open } = receipt
  return (
    <section class="card stack" aria-labelledby="proofs">
      <h3 id="proofs">Proofs</h3>
      <Facts
        facts={[
          [
            'Hash of the request',
            attestation && <Exact value={attestation.request_hash} what="the hash of the request" />,
          ],
          ['Leaf', <Exact value={own.proof.leaf_hash} what="the leaf hash" />],
          ['Signature', attestation && <Exact value={attestation.signature} what="the signature" />],
          ['Signed by', attestation && <Exact value={attestation.public_key} what="the public key" />],
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
    </section>
  )
}

/** The time of an organisation’s head is in no signature; that of the public log’s is. */
const LogProof = ({ log: { head, proof }, signedAt }: { log: Log; signedAt: string }) => (
  <Facts
    facts={[
      ['Leaf', `${formatNumber(proof.leaf_index)} of ${plural(proof.tree_size, 'leaf', 'leaves')}`],
      ['Path', plural(proof.audit_path.length, 'hash', 'hashes')],
      ['Root', <Exact value={head.root_hash} what="the root hash" />],
      [signedAt, <Moment at={head.timestamp} />],
      ['By key', <Exact value={head.key_id} what="the id of the key" />],
    ]}
  />
)
