// A receipt with its proofs, byte for byte as it was answered, and the keys that the service publishes.
import type { z } from 'zod'
import type { PublishedHistory } from '../../../evidence/records/attestation.schema.ts'
import type { MedicalReceiptWithProofsSchema } from '../../../management/receipts/receipts.schema.ts'
import { call, type Answer } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { fileIn } from '../call-in.ts'

export type Receipt = z.infer<typeof MedicalReceiptWithProofsSchema>
/** `id`: of the record that was asked for, whatever came. */
export type Evidence = { id: string; receipt: Receipt; text: Blob; bytes: Uint8Array; keys: PublishedHistory }

/** @param id of the record */
export const useEvidence = (session: Session, id: string) =>
  useAnswer((signal) => askForEvidence(session, id, signal), [session, id])

async function askForEvidence(session: Session, id: string, signal: AbortSignal): Promise<Answer<Evidence>> {
  const [file, keys] = await Promise.all([
    fileIn(session, 'GET', `/api/health/receipts/${encodeURIComponent(id)}`, { signal }),
    call<PublishedHistory>('GET', '/v1/attestation/keys', { signal }),
  ])
  if (file.outcome === 'refused') return file
  if (keys.outcome === 'refused') return keys
  const { content: text } = file.body
  const bytes = new Uint8Array(await text.arrayBuffer())
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as in `call`; what is checked reads the bytes by itself
  const receipt = JSON.parse(new TextDecoder().decode(bytes)) as Receipt
  return { outcome: 'answered', body: { id, receipt, text, bytes, keys: keys.body }, headers: file.headers }
}
