// Tests a medical receipt with one part changed: each part has a check that fails by it.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { requestHash } from '../../../../src/evidence/records/canonical-json.ts'
import { signRecord } from '../../../../src/evidence/records/attestation-record.ts'
import type { MedicalReceiptWithProofs } from '../../../../src/management/receipts/receipts.schema.ts'
import { verifyReceipt, type SentCopies } from '../../../../src/management/receipts/verify-receipt.ts'
import { makeAcceptance } from '../../../fixtures/evidence/invented-acceptance.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import { approvedCall, foundMedical, jsonOf, PATH, publicKey, signer } from './medical-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const NOTHING: SentCopies = { record: null, request: null, publicKey: null }

const found = (receipt: MedicalReceiptWithProofs, sent: Partial<SentCopies> = {}) =>
  verifyReceipt(receipt, { ...NOTHING, ...sent }, { keys: [publicKey()] })

const failing = ({ checks }: ReturnType<typeof found>): string[] =>
  checks.filter(({ result }) => result === 'fail').map(({ check }) => check)

/** A call that a person approved, and one about another request, which was shown when the log was smaller. */
async function twoReceipts() {
  const medical = await foundMedical()
  const show = (id: string) => jsonOf<MedicalReceiptWithProofs>(medical.owner.ask('GET', `${PATH}/${id}`))
  const earlier = await medical.run('coding', { requestHash: '1'.repeat(64) })
  await medical.publish()
  const another = await show(earlier)
  await medical.put({ human_approval: { when: [{ use_cases: ['triage'] }] } })
  const { run } = await approvedCall(medical)
  await medical.publish()
  return { receipt: await show(run), another }
}

describe('a receipt', () => {
  it('is valid as it is, and not with any part of another', async () => {
    const { receipt, another } = await twoReceipts()
    const { organisation_log: log, acceptance } = receipt
    if (acceptance === null || another.attestation === null) throw new Error('a part is missing')
    expect(found(receipt).valid).toBe(true)
    const { signature } = another.attestation
    const { subject, records } = acceptance
    const changes: [string, Partial<MedicalReceiptWithProofs>][] = [
      ['organisation_log', { organisation_log: { ...log, head: another.organisation_log.head } }],
      ['organisation_log', { organisation_log: { ...log, head: { ...log.head, signature } } }],
      ['organisation_log', { organisation_log: { ...log, proof: { ...log.proof, audit_path: [] } } }],
      ['public_log', { public_log: another.public_log }],
      ['acceptance', { acceptance: { ...acceptance, subject: another.attestation } }],
      ['acceptance', { acceptance: { ...acceptance, subject: receipt.attestation } }],
      ['acceptance', { acceptance: { ...acceptance, subject: subject && { ...subject, signature } } }],
      [
        'acceptance',
        { acceptance: { ...acceptance, records: records.map((one) => Object.assign({}, one, { signature })) } },
      ],
    ]
    for (const [check, change] of changes) {
      const verdict = found({ ...receipt, ...change })
      expect([verdict.valid, failing(verdict)]).toEqual([false, [check]])
    }
  })

  it('is not valid where people decided about another request, or one of another organisation', async () => {
    const { receipt, another } = await twoReceipts()
    const { acceptance, attestation } = receipt
    const key = await signer().keyNamed(publicKey())
    if (acceptance?.subject == null || attestation === null || another.attestation === null || key === null) {
      throw new Error('a part is missing')
    }
    const { signature: _, ...unsigned } = attestation
    const elsewhere = await signRecord({ ...unsigned, org_id: 'org_other' }, key)
    for (const [subject, failed] of [
      [acceptance.subject, []],
      [attestation, ['acceptance']],
      [another.attestation, ['acceptance']],
      [elsewhere, ['acceptance']],
    ] as const) {
      const records = [await makeAcceptance(subject, { decidedAt: Date.parse(attestation.timestamp) }, key)]
      expect(failing(found({ ...receipt, acceptance: { ...acceptance, subject, records } }))).toEqual(failed)
    }
    const { checks } = found({ ...receipt, acceptance: { ...acceptance, subject: null } })
    expect(checks.at(-1)).toMatchObject({ check: 'acceptance', result: 'not_available' })
  })

  it('is judged by the request that was logged, whatever a record that is sent says', async () => {
    const { receipt } = await twoReceipts()
    const request = { model: 'another', messages: [] }
    const record = { ...receipt.attestation, request_hash: requestHash(request) }
    expect(failing(found(receipt, { record, request }))).toContain('request_hash')
  })

  it('that has no record is valid with the one that was logged, and with no other and without any', async () => {
    const { receipt, another } = await twoReceipts()
    const bare = { ...receipt, attestation: null }
    expect(found(bare, { record: receipt.attestation }).valid).toBe(true)
    const without = found(bare)
    expect([without.valid, failing(without)]).toEqual([false, []])
    const other = found(bare, { record: another.attestation })
    expect([other.valid, failing(other)]).toEqual([false, ['leaf', 'record_matches']])
  })
})
