// Converts approvals to the form that the API sends, and signs their records. Also reads an approval's id from a request. All
// routes and exports of approvals use these functions.
import { signAcceptance, type UnsignedAcceptRecord } from '../../evidence/records/accept-record.ts'
import type { Signer } from '../../evidence/records/configured-keys.ts'
import { signRecord } from '../../evidence/records/attestation-record.ts'
import { AppError } from '../../platform/errors.ts'
import { formatUuid, parseId, type ApprovalId } from '../../platform/ids.ts'
import { toEur } from '../../platform/money.ts'
import { PROVIDER_IDS } from '../../providers/provider-registry.ts'
import type { AnyApproval, ApprovalWithRecords, AskedApproval } from './read-approvals.ts'
import type { ShownApproval, ShownApprovalWithRecords } from './approval-response.schema.ts'

const timeOf = (at: number): string => new Date(at).toISOString()

export function presentApproval(approval: AnyApproval): ShownApproval {
  const provider = PROVIDER_IDS.find((id) => id === approval.provider)
  if (provider === undefined) throw new TypeError('an approval of a provider that there is not')
  return {
    id: approval.approval_id,
    object: 'approval',
    state: approval.state,
    created_at: timeOf(approval.createdAt),
    expires_at: timeOf(approval.expiresAt),
    ended_at: 'endedAt' in approval ? timeOf(approval.endedAt) : null,
    key_id: approval.key_id,
    request_hash: approval.request_hash,
    model: approval.model,
    use_case: approval.use_case,
    policy_version: approval.policy_version,
    approvals_required: approval.approvals_required,
    facts: {
      provider,
      other_models: approval.other_models,
      data_region: approval.data_region,
      stream: approval.stream,
      content_kinds: approval.content_kinds,
      bytes: approval.bytes,
      found: approval.found,
      most_cost_eur: toEur(approval.reserve_microeur),
    },
    attestation_id: approval.attestation_id,
    decisions: approval.decisions.map(({ decision, by, at, counts }) => ({
      decision,
      decided_by: by,
      decided_at: timeOf(at),
      counts,
    })),
  }
}

export async function presentWithRecords(
  { approval, subject, acceptances }: ApprovalWithRecords,
  signer: Signer | null,
): Promise<ShownApprovalWithRecords> {
  const { decisions, ...shown } = presentApproval(approval)
  const subjectKey = (subject && (await signer?.keyNamed(subject.public_key))) ?? null
  return {
    ...shown,
    attestation: subject && subjectKey && (await signRecord(subject, subjectKey)),
    decisions: await Promise.all(
      decisions.map(async ({ decision, decided_by, decided_at, counts }, at) => {
        const acceptance = await sign(acceptances[at] ?? null, signer)
        return { decision, decided_by, decided_at, counts, acceptance }
      }),
    ),
  }
}

/** Adds the names of the key, of its maker and of those who decided. @param people names by id; empty for a caller who may not decide */
export function withNames<D extends ShownApproval['decisions'][number], Shown extends { decisions: D[] }>(
  { decisions, ...shown }: Shown & { decisions: D[] },
  { asking }: AskedApproval,
  people: ReadonlyMap<string, string>,
) {
  const nameOf = (id: string): string | null => people.get(id) ?? null
  const person = asking?.person ?? null
  return {
    ...shown,
    key_name: asking && asking.name,
    key_made_by: asking && { id: asking.madeBy, name: asking.makerName ?? nameOf(asking.madeBy) },
    key_person: person && { id: person, name: nameOf(person) },
    decisions: decisions.map((one) => ({ ...one, decided_by_name: nameOf(one.decided_by) })),
  }
}

async function sign(acceptance: UnsignedAcceptRecord | null, signer: Signer | null) {
  const key = (acceptance && (await signer?.keyNamed(acceptance.public_key))) ?? null
  return acceptance && key && signAcceptance(acceptance, key)
}

/** Returns null if the text cannot be an approval's id. */
export function readApprovalId(named: string): ApprovalId | null {
  const bytes = parseId('apr_', named)
  return bytes === null ? null : `apr_${formatUuid(bytes)}`
}

export const approvalNotFound = (): AppError =>
  new AppError('not_found', 'There is no approval with this id, or you cannot see it. Check the id.')
