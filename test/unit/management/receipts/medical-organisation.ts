// An organisation of the tier healthcare whose calls leave medical receipts, and its receipts asked for over their routes.
import { env } from 'cloudflare:workers'
import { createSigner, configuredKeys } from '../../../../src/evidence/records/configured-keys.ts'
import { requestHash } from '../../../../src/evidence/records/canonical-json.ts'
import { readConfig } from '../../../../src/platform/config.ts'
import type { JsonObject } from '../../../../src/platform/json.ts'
import { publishAll } from '../../public-log/opened-log.ts'
import { idOf, positionOf, type FactsChange } from '../../organisation/chat-organisation.ts'
import { manage, type Asker } from '../managed.ts'

export const PATH = '/api/health/receipts'

/** Request of every call here. */
export const REQUEST = { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'marked text of a letter' }] }

export type ShownReceipt = {
  object: string
  id: string
  created_at: string | null
  outcome: string | null
  use_case: string | null
  approval_state: string | null
  attestation: JsonObject | null
  settlement: JsonObject | null
  acceptance: { subject: JsonObject | null; records: JsonObject[] } | null
  organisation_log: { head: JsonObject; proof: JsonObject & { leaf_hash: string; leaf_index: number } }
  public_log: { head: JsonObject; proof: JsonObject } | null
  details: string
}

export type ListedReceipts = { data: ShownReceipt[]; has_more: boolean; next_cursor: string | null }

export type MedicalOrganisation = Awaited<ReturnType<typeof foundMedical>>

export const signer = () => {
  const keys = configuredKeys(env, readConfig(env))
  if (keys === null) throw new Error('there is no key')
  return createSigner(keys)
}

/** The key that the service signs with. */
export const publicKey = (): string => signer().nameAt(Date.now()) ?? ''

export async function foundMedical(settings: object = {}, bindings: object = {}) {
  const managed = await manage({ tier: 'healthcare', ...settings }, bindings)
  const owner = await managed.signIn('owner')
  const key = await managed.organisation.issueKey()
  const { organisation } = managed

  const admit = async (useCase: string | null = 'triage', more: FactsChange = {}) => {
    const facts = { requestHash: requestHash(REQUEST), publicKey: publicKey(), useCase }
    const admission = await organisation.admit(key, { ...facts, ...more })
    return { attestationId: idOf(admission), admission }
  }

  return {
    managed,
    organisation,
    owner,
    admit,
    /** A call that has run. Says its attestation_id. */
    async run(useCase: string | null = 'triage', more: FactsChange = {}): Promise<string> {
      const { attestationId, admission } = await admit(useCase, more)
      await organisation.settle(positionOf(admission), 42, { servedModel: 'gpt-4.1-mini-2025-04-14' })
      return attestationId
    },
    put: async (policy: object): Promise<void> => {
      const answer = await owner.ask('PUT', '/api/policies', policy)
      if (answer.status !== 200) throw new Error(await answer.text())
    },
    list: (query = '', by: Asker = owner): Promise<ListedReceipts> => jsonOf(by.ask('GET', `${PATH}${query}`)),
    show: (id: string, by: Asker = owner): Promise<ShownReceipt> => jsonOf(by.ask('GET', `${PATH}/${id}`)),
    /** The public log has all of it then. */
    async publish(): Promise<void> {
      await organisation.runAlarm()
      await publishAll({ signer: signer() })
    },
  }
}

export async function jsonOf<T>(answer: Promise<Response>): Promise<T> {
  const response = await answer
  if (response.status !== 200) throw new Error(await response.text())
  return response.json<T>()
}

export async function errorOf(answer: Promise<Response>) {
  const response = await answer
  const { error } = await response.json<{ error: { code: string; message: string; param?: string } }>()
  return { status: response.status, ...error }
}

/** Runs a call that a clinician approves. Returns the attestations of its refusal and its run, and the approval's id. */
export async function approvedCall({ managed, admit, organisation }: MedicalOrganisation) {
  const { attestationId: refused, admission } = await admit()
  if (admission.outcome !== 'approval_required' || admission.approval === null) throw new Error(admission.outcome)
  const { id } = admission.approval
  const clinician = await managed.signIn('clinician')
  const decided = await clinician.ask('POST', `/api/approvals/${id}/decision`, { decision: 'approve' })
  if (decided.status !== 200) throw new Error(await decided.text())
  const ran = await admit('triage', { approval: id })
  await organisation.settle(positionOf(ran.admission), 42)
  return { refused, run: ran.attestationId, approvalId: id }
}
