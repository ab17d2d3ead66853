// Presents medical receipts for the API, and signs their records and acceptances again.
import { signAcceptance } from '../../evidence/records/accept-record.ts'
import type { Signer } from '../../evidence/records/configured-keys.ts'
import { signRecord } from '../../evidence/records/attestation-record.ts'
import { presentSettlement } from '../../public-log/present-proofs.ts'
import type { ApprovalWithRecords } from '../../organisation/approvals/read-approvals.ts'
import type { StoredReceipt, ListedReceipt } from '../../organisation/receipts/medical-receipts.ts'
import type { MedicalReceipt, MedicalReceiptWithProofs } from './receipts.schema.ts'

export const presentReceipt = (receipt: ListedReceipt): MedicalReceipt => ({
  object: 'medical_receipt',
  id: receipt.attestationId,
  created_at: receipt.decidedAt,
  trace_id: receipt.traceId,
  model: receipt.model,
  provider: receipt.provider,
  outcome: receipt.outcome,
  use_case: receipt.useCase,
  approval_state: receipt.approvalState,
})

export type ReceiptEvidence = Pick<MedicalReceiptWithProofs, 'attestation' | 'settlement' | 'acceptance'>

/** Returns the signed record, settlement and acceptances of a receipt, without its log proofs. */
export async function presentEvidence(
  { record, inclusion, settlement, approval }: StoredReceipt,
  signer: Signer | null,
): Promise<ReceiptEvidence> {
  const key = (await signer?.keyNamed(record.public_key)) ?? null
  return {
    attestation: key && (await signRecord(record, key)),
    settlement: settlement && presentSettlement(settlement, { orgId: record.org_id, settles: inclusion.leaf_index }),
    acceptance: approval && (await presentAcceptance(approval, signer)),
  }
}

async function presentAcceptance(
  { approval, subject, acceptances }: ApprovalWithRecords,
  signer: Signer | null,
): Promise<MedicalReceiptWithProofs['acceptance']> {
  const subjectKey = (subject && (await signer?.keyNamed(subject.public_key))) ?? null
  const records = await Promise.all(
    acceptances.map(async (record, at) => {
      if (approval.decisions[at]?.counts === false) return []
      const key = (record && (await signer?.keyNamed(record.public_key))) ?? null
      return record && key ? [await signAcceptance(record, key)] : []
    }),
  )
  return {
    approval_id: approval.approval_id,
    approvals_required: approval.approvals_required,
    subject: subject && subjectKey && (await signRecord(subject, subjectKey)),
    records: records.flat(),
  }
}
