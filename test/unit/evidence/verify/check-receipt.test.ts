// Forgeries of medical receipts, and the findings about receipts that contradict themselves although the service signed them.
import { describe, expect, it } from 'vitest'
import type { Acceptance } from '../../../../src/evidence/records/accept-record.ts'
import { signIssuedDocument } from '../../../../src/evidence/records/issued-document.ts'
import { readJsonObject } from '../../../../src/evidence/records/read-json-object.ts'
import type { JsonObject } from '../../../../src/platform/json.ts'
import { NO_OPTIONS } from '../../../../src/evidence/verify/check-options.ts'
import { checkDocument } from '../../../../src/evidence/verify/check-document.ts'
import { FindingsReport } from '../../../../src/evidence/verify/findings-report.ts'
import { makeAcceptance, makeRefusal } from '../../../fixtures/evidence/invented-acceptance.ts'
import { DAY, makeEvidence, newKey, oldKey, OTHER, makeRecord } from '../../../fixtures/evidence/invented-evidence.ts'
import { issue, ISSUED_AT, makeReceipts } from '../../../fixtures/evidence/invented-receipt.ts'

/** The verdict, and what is against it. */
function check(receipt: object): string[] {
  const document = JSON.parse(JSON.stringify(receipt)) as JsonObject
  const report = new FindingsReport()
  const findings = checkDocument(document, { ...NO_OPTIONS, trust: { keys: [oldKey.publicKey] } })
  report.add(findings)
  return [report.verdict(), ...findings.flatMap(({ code }) => code ?? [])]
}

const { ofCall, ofRefusal, acceptance, refusal, call } = await makeReceipts()
const one = acceptance.records[0]
const DENIED: Partial<Acceptance> = { decision: 'ACCEPTED' }
const SECOND: Partial<Acceptance> = { reviewer: 'usr_second' }

describe('a medical receipt', () => {
  it('is valid as the service signed it, of a call that people approved and of the refusal before', async () => {
    expect(check(await issue(ofCall))).toEqual(['valid'])
    expect(check(await issue(ofRefusal))).toEqual(['valid'])
    const two = await makeReceipts({ decisions: [{ decision: 'ESCALATED' }, {}, SECOND], required: 2 })
    expect(check(await issue(two.ofCall))).toEqual(['valid'])
    const plain = await makeReceipts({ policies: ['loop_guard'] })
    expect(check(await issue({ ...plain.ofCall, approval_state: null, acceptance: null }))).toEqual(['valid'])
    // While another request's approval is waited for already, none is asked for.
    expect(check(await issue({ ...ofRefusal, approval_state: null, acceptance: null }))).toEqual(['valid'])
  })

  it('is not valid where anybody but the service changed what no record has', async () => {
    const receipt = await issue(ofCall)
    for (const change of [
      { provider: 'another' },
      { use_case: 'triage' },
      { approval_state: 'claimed' },
      { acceptance: { ...acceptance, approval_id: 'apr_2' } },
      { details: 'expired' },
      { issued_at: `${DAY}13:00:00.000Z` },
      { public_log: {} },
    ]) {
      expect(check({ ...receipt, ...change })).toContain('signature_mismatch')
    }
    const { signature: _, ...unsigned } = receipt
    expect(check(unsigned)).toEqual(['invalid', 'not_a_receipt'])
    expect(check(await signIssuedDocument(ofCall, newKey, ISSUED_AT))).toEqual(['invalid', 'key_not_trusted'])
  })

  it('is not proven where its record or its details are gone, and says only what was seen', async () => {
    expect(check(await issue({ ...ofCall, attestation: null }))).toEqual(['not_proven', 'not_proven'])
    expect(check(await issue({ ...ofCall, details: 'expired' }))).toEqual(['not_proven', 'not_proven'])
    const document = JSON.parse(JSON.stringify(await issue({ ...ofCall, attestation: null }))) as JsonObject
    const found = checkDocument(document, { ...NO_OPTIONS, trust: { keys: [oldKey.publicKey] } })
    expect(found.find(({ valid }) => !valid)?.reason).toBe('It has no record in it, so nothing shows what was decided.')
  })

  it('has each number written in the one way', async () => {
    const text = JSON.stringify(await issue(ofCall)).replace('"tree_size":2', '"tree_size":2.0')
    const report = new FindingsReport()
    const read = readJsonObject(new TextEncoder().encode(text))
    if (read.readable) report.add(checkDocument(read.object, { ...NO_OPTIONS, trust: { keys: [oldKey.publicKey] } }))
    expect(report.toJson().findings.map(({ code }) => code)).toContain('number_spelling')
  })

  it('is of one call: what is around the record says what the record says', async () => {
    const { bundle, publicTree } = await makeEvidence()
    const { head } = bundle.public_log
    for (const [change, code] of [
      [{ patient: 'invented' }, 'not_a_receipt'],
      [{ demo: true }, 'not_a_receipt'],
      [{ model: 'another' }, 'members_differ'],
      [{ outcome: 'blocked' }, 'members_differ'],
      [{ settlement: bundle.settlement }, 'unknown_member'],
      [{ public_log: { head, proof: publicTree.inclusion(3) } }, 'leaf_mismatch'],
    ] as const) {
      expect(check(await issue({ ...ofCall, ...change })), JSON.stringify(change)).toContain(code)
    }
  })
})

describe('an approval in a receipt that the service itself signed', () => {
  const within = (change: object, receipt: object = ofCall) =>
    issue({ ...(receipt as typeof ofCall), acceptance: { ...acceptance, ...change } })

  it('is about a refusal of this very request that asks for people, older than the call', async () => {
    const decided = async (subject: typeof refusal) => ({ subject, records: [await makeAcceptance(subject)] })
    const later = await makeRefusal(oldKey, undefined, Date.parse(`${DAY}08:00:00.500Z`))
    for (const [change, code] of [
      // Invented for a call that nobody approved.
      [{ subject: call, records: [] }, 'subject_no_refusal'],
      [{ subject: refusal, records: [] }, 'not_proven'],
      [{ subject: null }, 'not_proven'],
      [await decided(await makeRecord(OTHER)), 'subject_mismatch'],
      [
        await decided(await makeRefusal(oldKey, { model: 'invented-model', messages: ['another'] })),
        'subject_mismatch',
      ],
      [await decided(later), 'out_of_order'],
      [{ subject: { ...refusal, signature: call.signature } }, 'signature_mismatch'],
      [{ note: '' }, 'approval_malformed'],
      [{ approval_id: null }, 'approval_malformed'],
      [{ approvals_required: 0 }, 'approval_malformed'],
      [{ approvals_required: '1' }, 'approval_malformed'],
      [{ records: {} }, 'approval_malformed'],
      [{ subject: [] }, 'approval_malformed'],
    ] as const) {
      expect(check(await within(change)), JSON.stringify(change).slice(0, 60)).toContain(code)
    }
  })

  it('of a refusal is about this refusal, and of a call that people need not approve is none', async () => {
    const another = await makeRefusal()
    const of = { subject: another, records: [await makeAcceptance(another)] }
    expect(check(await within(of, ofRefusal))).toContain('subject_of_another_call')
    const plain = await makeReceipts({ policies: ['loop_guard'] })
    expect(check(await issue(plain.ofCall))).toContain('approval_of_no_rule')
    expect(check(await issue({ ...ofCall, approval_state: null }))).toContain('approval_of_no_rule')
  })

  it('is not proven where it was taken out although the record names the rule', async () => {
    expect(check(await issue({ ...ofCall, acceptance: null, approval_state: null }))).toEqual([
      'not_proven',
      'not_proven',
    ])
    expect(check(await issue({ ...ofCall, acceptance: null }))).toEqual(['not_proven', 'not_proven'])
    expect(check(await issue({ ...ofRefusal, acceptance: null }))).toEqual(['not_proven', 'not_proven'])
  })

  it('has each decision signed, about that refusal, by this rule, once, and between the two', async () => {
    const made = (change: Partial<Acceptance>) => makeAcceptance(refusal, change)
    for (const [records, code] of [
      [[{ ...one, decision: 'ACCEPTED' }], 'signature_mismatch'],
      [[await makeAcceptance(await makeRefusal())], 'subject_mismatch'],
      [[await made({ policies: ['loop_guard'] })], 'subject_mismatch'],
      // Reads as four eyes.
      [[one, one], 'decision_twice'],
      [[one, await made({})], 'decision_twice'],
      [[one, await made({ ...SECOND, acceptanceId: one?.acceptance_id ?? '' })], 'decision_twice'],
      [[await made({ decidedAt: Date.parse(`${DAY}04:00:00.500Z`) })], 'out_of_order'],
      [[await made({ decidedAt: Date.parse(`${DAY}08:00:00.500Z`) })], 'out_of_order'],
    ] as const) {
      expect(check(await within({ records })), code).toContain(code)
    }
  })

  it('is given by as many as the policy asked for', async () => {
    expect(check(await within({ approvals_required: 2 }))).toEqual(['not_proven', 'not_proven'])
    expect(
      check(await within({ approvals_required: 2, records: [one, await makeAcceptance(refusal, SECOND)] })),
    ).toEqual(['valid'])
  })

  it.each<[of: 'call' | 'refusal', decided: Partial<Acceptance>[], Record<string, string>]>([
    [
      'call',
      [{}],
      {
        pending: 'invalid',
        approved: 'invalid',
        denied: 'invalid',
        expired: 'invalid',
        withdrawn: 'invalid',
        claimed: 'valid',
        executed: 'valid',
        used: 'invalid',
      },
    ],
    ['call', [DENIED], { denied: 'invalid', claimed: 'invalid', executed: 'invalid' }],
    [
      'refusal',
      [],
      {
        pending: 'valid',
        approved: 'not_proven',
        denied: 'not_proven',
        expired: 'valid',
        withdrawn: 'valid',
        claimed: 'not_proven',
        executed: 'not_proven',
        used: 'invalid',
      },
    ],
    [
      'refusal',
      [{}],
      {
        pending: 'invalid',
        approved: 'valid',
        denied: 'invalid',
        expired: 'valid',
        withdrawn: 'valid',
        claimed: 'valid',
        executed: 'valid',
      },
    ],
    // The signed decision says otherwise than the state.
    [
      'refusal',
      [DENIED],
      {
        pending: 'invalid',
        approved: 'invalid',
        denied: 'valid',
        expired: 'invalid',
        withdrawn: 'invalid',
        claimed: 'invalid',
        executed: 'invalid',
      },
    ],
  ])('of a %s has a state that follows from what people decided: %j', async (of, decisions, verdicts) => {
    const made = await makeReceipts({ decisions })
    for (const [state, verdict] of Object.entries(verdicts)) {
      const receipt = { ...(of === 'call' ? made.ofCall : made.ofRefusal), approval_state: state }
      expect(check(await issue(receipt))[0], state).toBe(verdict)
    }
  })
})
