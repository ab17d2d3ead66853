// Loads a call's record with its proofs, and shows its positions in the logs. Also has the source line of a printed page.
import type { Receipt } from './check-receipt-in-browser.ts'
import { answered, type Answer } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { CopyableValue } from '../../parts/copy-button.view.tsx'
import { Hash, OffPaper, OnPaper, Soft } from '../../parts/layout.view.tsx'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatNumber, plural } from '../../text/format.ts'
import { fetchFile } from '../session.ts'

/** A loaded receipt. `id` is the id of the requested record, which the receipt may contradict. */
export type LoadedReceipt = { id: string; receipt: Receipt; text: Blob; bytes: Uint8Array }

/** Loads a record with its proofs, byte for byte. @param id the record's id */
export const useReceipt = (path: '/api/calls' | '/api/health/receipts', id: string) =>
  useAnswer((signal) => loadReceipt(path, id, signal), [path, id])

async function loadReceipt(path: string, id: string, signal: AbortSignal): Promise<Answer<LoadedReceipt>> {
  const answer = await fetchFile('GET', `${path}/${encodeURIComponent(id)}`, { signal })
  if (answer.outcome === 'refused') return answer
  const { content: text } = answer.body
  const bytes = new Uint8Array(await text.arrayBuffer())
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as in `sendRequest`; the checks read the bytes themselves
  const receipt = JSON.parse(new TextDecoder().decode(bytes)) as Receipt
  return answered({ id, receipt, text, bytes })
}

type Log = Receipt['organisation_log'] | NonNullable<Receipt['public_log']>

/** Shows the record's position in each log: the proof's path and the signed head. */
export function Proofs({ receipt }: { receipt: Receipt }) {
  const { attestation, organisation_log: own, public_log: open } = receipt
  return (
    <details>
      <summary>Proofs</summary>
      <Facts
        facts={[
          [
            'Hash of the request',
            attestation && <CopyableValue value={attestation.request_hash} what="the hash of the request" />,
          ],
          ['Log entry', <CopyableValue value={own.proof.leaf_hash} what="the hash of the log entry" />],
          ['Signature', attestation && <CopyableValue value={attestation.signature} what="the signature" />],
          ['Signed by', attestation && <CopyableValue value={attestation.public_key} what="the public key" />],
        ]}
      />
      <h4>In the organisation’s log</h4>
      <LogProof log={own} signedAt="Head signed, says the service" />
      <h4>In the public log</h4>
      {open === null ? (
        <Soft as="p">Not yet: the public log takes records in within 60 seconds.</Soft>
      ) : (
        <LogProof log={open} signedAt="Head signed" />
      )}
      {attestation !== null && (
        <OffPaper as="details">
          <summary>The signed record, as JSON</summary>
          <pre tabIndex={0}>{JSON.stringify(attestation, null, 2)}</pre>
        </OffPaper>
      )}
    </details>
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

/** The last line of a printed page, visible only on paper. @param what names the hashed thing */
export const PrintSource = ({ hash, what }: { hash: string; what: string }) => (
  <OnPaper as="footer">
    SHA-256 of {what}: <Hash>{hash}</Hash>
  </OnPaper>
)
