// Lists medical receipts, shows one signed and with its log proofs, and returns the keys that the service publishes.
import type { Access } from '../../accounts/access/access-control.ts'
import { signIssuedDocument } from '../../evidence/records/issued-document.ts'
import { publishedTrust } from '../../evidence/records/configured-keys.ts'
import type { PinnedTrust } from '../../evidence/records/verify-record.ts'
import type { ProvenAnchor } from '../../evidence/bundles/anchor.ts'
import { requireSigningKey, presentLogProofs, treeOf } from '../../public-log/present-proofs.ts'
import type { InclusionProof } from '../../evidence/tree/verify-proof.ts'
import type { FoundReceipt } from '../../organisation/receipts/receipts.target.ts'
import type { ListedReceipt, ReceiptsPage, MedicalReceiptsQuery } from '../../organisation/receipts/medical-receipts.ts'
import type { AppContext } from '../../platform/context.ts'
import { demoMark } from '../../platform/names.schema.ts'
import type { LogExportDeps } from '../log-export.ts'
import { presentEvidence, presentReceipt } from './present-receipt.ts'
import type { MedicalReceiptWithProofs } from './receipts.schema.ts'

/** The name of the document: of a medical call, or of any call. */
export type EvidenceObject = 'medical_receipt' | 'call_record'

export type ShownReceipt<Object extends EvidenceObject> =
  | { outcome: 'shown'; receipt: Omit<MedicalReceiptWithProofs, 'object'> & { object: Object } }
  | { outcome: 'not_found' | 'unreadable' }

export type ReceiptsService = ReturnType<typeof createReceiptsService>

export function createReceiptsService({ open, keys, signer, publicLog, clock }: LogExportDeps) {
  async function showInLogs(c: AppContext, { organisation }: Access, id: string, inclusion: InclusionProof) {
    const anchor: ProvenAnchor | null = await open(organisation).log.proveAnchor(treeOf(inclusion))
    const prove = (idInPublicLog: string) => publicLog.provePublicEvidence(c, idInPublicLog)
    const call = { orgId: organisation.id, attestationId: id, inclusion, anchor }
    return presentLogProofs(call, { signer, prove, now: clock() })
  }

  return {
    async listReceipts({ organisation }: Access, wanted: MedicalReceiptsQuery): Promise<ReceiptsPage<ListedReceipt>> {
      return open(organisation).receipts.list(wanted)
    },

    findReceipt: async ({ organisation }: Access, id: string, object: EvidenceObject): Promise<FoundReceipt> =>
      open(organisation).receipts.find(id, object === 'medical_receipt'),

    /** Adds log proofs and signs the receipt. Throws `service_unavailable` if no key can sign or the public log is unreadable. */
    async showReceipt<Object extends EvidenceObject>(
      c: AppContext,
      access: Access,
      { id, object }: { id: string; object: Object },
      found: FoundReceipt,
    ): Promise<ShownReceipt<Object>> {
      if (found.outcome !== 'found') return found
      const inclusion = found.details === 'kept' ? found.receipt.inclusion : found.inclusion
      const logs = await showInLogs(c, access, id, inclusion)
      if (logs === null) return { outcome: 'unreadable' }
      const mark = demoMark(access.organisation.id)
      const described =
        found.details === 'expired'
          ? { ...expired(id), object, ...mark, ...logs, details: found.details }
          : {
              ...presentReceipt(found.receipt),
              object,
              ...mark,
              ...(await presentEvidence(found.receipt, signer)),
              ...logs,
              details: found.details,
            }
      const now = clock()
      return {
        outcome: 'shown',
        receipt: await signIssuedDocument(described, await requireSigningKey(signer, now), now),
      }
    },

    publishedKeys: (): PinnedTrust => publishedTrust(keys),
  }
}

const expired = (id: string) => ({
  id,
  created_at: null,
  trace_id: `tr_${id.replaceAll('-', '')}`,
  model: null,
  provider: null,
  outcome: null,
  use_case: null,
  approval_state: null,
  attestation: null,
  settlement: null,
  acceptance: null,
})
