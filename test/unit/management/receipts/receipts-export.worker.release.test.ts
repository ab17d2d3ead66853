// The export of medical receipts: told in the ledger before and after, whole only with its last line, each receipt proven.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { decodeBase64url } from '../../../../src/evidence/records/base64.ts'
import { findIssuedFault } from '../../../../src/evidence/records/issued-document.ts'
import { receiptEntry } from '../../../../src/evidence/records/receipt-entry.ts'
import { verifyHead } from '../../../../src/evidence/records/tree-head.ts'
import { verifyRecord } from '../../../../src/evidence/records/verify-record.ts'
import { hashLeaf } from '../../../../src/evidence/tree/merkle-hash.ts'
import { verifyInclusion } from '../../../../src/evidence/tree/verify-proof.ts'
import { isJsonObject, type JsonObject } from '../../../../src/platform/json.ts'
import type { ApprovalId } from '../../../../src/platform/ids.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { sha256Hex } from '../../../../src/platform/sha256.ts'
import { approvalOf } from '../../organisation/approvals/approved-organisation.ts'
import { noon, positionOf } from '../../organisation/chat-organisation.ts'
import { actsOf } from '../managed.ts'
import { putAway, watchingPages } from '../export/exported.ts'
import {
  approvedCall,
  errorOf,
  foundMedical,
  PATH,
  publicKey,
  type MedicalOrganisation,
} from './medical-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const pinned = () => ({ keys: [publicKey()] })

async function exportText({ owner }: MedicalOrganisation, query = ''): Promise<string> {
  const response = await owner.ask('GET', `${PATH}/export${query}`)
  if (response.status !== 200) throw new Error(await response.text())
  return response.text()
}

const linesOf = (text: string): JsonObject[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const value: unknown = JSON.parse(line)
      if (!isJsonObject(value)) throw new Error('a line is no object')
      return value
    })

const memberOf = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined)

describe('an export as JSON lines', () => {
  it('has a receipt a line, each proven in the tree of the signed head, and ends with the hash of all before', async () => {
    const medical = await foundMedical()
    await medical.put({ medical_use_cases: ['triage'] })
    const ids = [await medical.run(), await medical.run('coding'), await medical.run()]
    const text = await exportText(medical)
    const [head = {}, ...rest] = linesOf(text)
    const end = rest.pop() ?? {}
    expect(head).toMatchObject({
      object: 'medical_export.head',
      schema: 'medical-1',
      org_id: medical.organisation.id,
      start: '2091-02-14',
      end: '2091-03-15',
      medical_use_cases: ['triage'],
    })
    const tree = verifyHead(head['tree_head'], pinned())
    expect(tree.valid).toBe(true)
    expect(rest.map(({ id }) => id)).toEqual([ids[2], ids[0]])
    for (const { attestation, organisation_log: log, settlement } of rest) {
      expect(verifyRecord(attestation, pinned()).valid).toBe(true)
      const proof = memberOf(log, 'proof')
      const settled = memberOf(settlement, 'proof')
      const record = isJsonObject(attestation) ? attestation : {}
      expect(memberOf(proof, 'leaf_hash')).toBe(hashLeaf(receiptEntry(record)).toHex())
      const entry = decodeBase64url(String(memberOf(settlement, 'entry'))) ?? new Uint8Array()
      expect(memberOf(settled, 'leaf_hash')).toBe(hashLeaf(entry).toHex())
      for (const each of [proof, settled]) {
        expect(verifyInclusion(each).valid).toBe(true)
        expect([memberOf(each, 'tree_size'), memberOf(each, 'root_hash')]).toEqual([
          tree.valid && tree.treeSize,
          tree.valid && tree.rootHash,
        ])
      }
    }
    const before = text.slice(0, text.trimEnd().lastIndexOf('\n') + 1)
    expect(end).toEqual({
      object: 'medical_export.end',
      receipts: 2,
      unreadable_entries: 0,
      sha256: sha256Hex(before),
      issued_at: '2091-03-15T12:00:00.000Z',
      public_key: publicKey(),
      signature: expect.any(String) as string,
    })
    expect(findIssuedFault(end, pinned())).toBeNull()
    expect(text).not.toContain('marked text')
  })

  it('is in the ledger before its first byte, whose tree has that entry, and again at its end', async () => {
    const medical = await foundMedical()
    await medical.run()
    const lines = linesOf(await exportText(medical, '?start=2091-03-01'))
    const [head = {}, { sha256 } = {}] = [lines[0], lines.at(-1)]
    const acts = [
      ...(await actsOf(medical.managed, 'receipts.export')),
      ...(await actsOf(medical.managed, 'receipts.export_end')),
    ]
    const common = { actor: medical.owner.id }
    expect(acts).toMatchObject([
      { ...common, format: 'jsonl', start: '2091-03-01', end: '2091-03-15' },
      { ...common, export_id: head['export_id'], complete: true, receipts: 1, unreadable_entries: 0, sha256 },
    ])
    const entries = await medical.organisation.query<{ n: number }>('SELECT COUNT(*) AS n FROM entries')
    expect(memberOf(head['tree_head'], 'tree_size')).toBe((entries[0]?.n ?? 0) - 1)
  })

  it('has the receipts of its days alone', async () => {
    const medical = await foundMedical()
    const ids: string[] = []
    for (const day of [0, 1, 2]) {
      vi.setSystemTime(noon + day * DAY_MS)
      ids.push(await medical.run())
    }
    const owner = await medical.managed.signIn('owner')
    const text = await exportText({ ...medical, owner }, '?start=2091-03-16&end=2091-03-16')
    expect(linesOf(text).flatMap(({ id }) => (id === undefined ? [] : [id]))).toEqual([ids[1]])
  })

  it('is not begun where nothing could sign its head', async () => {
    const medical = await foundMedical({}, { ATTESTATION_KEYS: '[]' })
    expect(await errorOf(medical.owner.ask('GET', `${PATH}/export`))).toMatchObject({ status: 503 })
    expect(await actsOf(medical.managed, 'receipts.export')).toEqual([])
  })

  it('has receipts that were put away, what people decided about them, and all of many pages', async () => {
    const medical = await foundMedical()
    await medical.put({ human_approval: { when: [{ use_cases: ['triage'] }] } })
    const { refused, run } = await approvedCall(medical)
    // The refusal is the call’s that ran, so it has no line of its own.
    const ids = [run]
    for (let n = 0; n < 120; n += 1) ids.push(await medical.run('coding'))
    await putAway(medical.managed)
    await medical.organisation.evict()
    const lines = linesOf(await exportText(medical)).slice(1, -1)
    expect(lines.map(({ id }) => id)).toEqual(ids.toReversed())
    for (const { id, acceptance } of lines.slice(-1)) {
      expect([id, acceptance]).toMatchObject([
        id,
        { subject: { attestation_id: refused }, records: [{ decision: 'OVERRIDDEN' }] },
      ])
    }
  })

  it('has a call that waited when it began, though it runs meanwhile', async () => {
    let approval: ApprovalId | null = null
    const medical: MedicalOrganisation = await foundMedical(
      {},
      watchingPages(async (asked) => {
        if (asked === 0) await medical.admit('triage', { approval })
      }, 'receipts.export'),
    )
    await medical.put({ human_approval: { when: [{ use_cases: ['triage'] }] } })
    const { attestationId, admission } = await medical.admit()
    approval = approvalOf(admission)
    const decided = await medical.owner.ask('POST', `/api/approvals/${approval}/decision`, { decision: 'approve' })
    expect(decided.status).toBe(200)
    const lines = linesOf(await exportText(medical)).slice(1, -1)
    expect(lines).toMatchObject([{ id: attestationId, outcome: 'held' }])
    expect((await medical.list()).data).toMatchObject([{ outcome: 'passed' }])
  })

  it('is of what was medical when it began, whatever the policy says meanwhile', async () => {
    const medical: MedicalOrganisation = await foundMedical(
      {},
      watchingPages(async (asked) => {
        if (asked === 1) await medical.put({ medical_use_cases: [] })
      }, 'receipts.export'),
    )
    for (let n = 0; n < 150; n += 1) await medical.run()
    expect(linesOf(await exportText(medical)).at(-1)).toMatchObject({ receipts: 150 })
  })

  it('counts what is in the log and cannot be read once, over many pages, and says that it lacks it', async () => {
    const medical = await foundMedical()
    const ids: string[] = []
    for (let n = 0; n < 200; n += 1) ids.unshift(await medical.run())
    await medical.organisation.query('DROP TRIGGER entries_never_change')
    const some = [3, 60, 61, 199].map((at) => `x'${(ids[at] ?? '').replaceAll('-', '')}'`)
    await medical.organisation.query(`UPDATE entries SET entry = x'00' WHERE id IN (${some.join(', ')})`)
    expect(linesOf(await exportText(medical)).at(-1)).toMatchObject({ receipts: 196, unreadable_entries: 4 })
  })

  it('counts a receipt of which the settlement cannot be read, and does not say that the call runs on', async () => {
    const medical = await foundMedical()
    await medical.run()
    await medical.organisation.query('DROP TRIGGER entries_never_change')
    await medical.organisation.query("UPDATE entries SET entry = x'00' WHERE kind = 'settlement'")
    const whole = { receipts: 0, unreadable_entries: 1 }
    expect(linesOf(await exportText(medical)).at(-1)).toMatchObject(whole)
    vi.setSystemTime(noon + 2 * DAY_MS)
    const later = { ...medical, owner: await medical.managed.signIn('owner') }
    expect(linesOf(await exportText(later, '?end=2091-03-15')).at(-1)).toMatchObject(whole)
  })

  it('counts a settlement that cannot be read and came after its days', async () => {
    const medical = await foundMedical()
    const { admission } = await medical.admit()
    vi.setSystemTime(noon + DAY_MS)
    await medical.organisation.settle(positionOf(admission), 42)
    await medical.organisation.query('DROP TRIGGER entries_never_change')
    await medical.organisation.query("UPDATE entries SET entry = x'00' WHERE kind = 'settlement'")
    const later = { ...medical, owner: await medical.managed.signIn('owner') }
    expect(linesOf(await exportText(later, '?end=2091-03-15')).at(-1)).toMatchObject({
      receipts: 0,
      unreadable_entries: 1,
    })
  })

  it('is of the log as it was when it began, whatever is written meanwhile', async () => {
    const meanwhile: (() => Promise<unknown>)[] = []
    const medical = await foundMedical(
      {},
      watchingPages(async () => {
        for (const write of meanwhile.splice(0)) await write()
      }, 'receipts.export'),
    )
    const { attestationId, admission } = await medical.admit()
    meanwhile.push(
      () => medical.organisation.settle(positionOf(admission), 42),
      () => medical.run(),
    )
    const [, ...lines] = linesOf(await exportText(medical))
    expect(lines).toMatchObject([
      { id: attestationId, settlement: null },
      { receipts: 1, unreadable_entries: 0 },
    ])
  })

  it('is of nothing where nothing can be read, and says so', async () => {
    const medical = await foundMedical()
    await medical.run()
    await medical.organisation.query('DROP TRIGGER entries_never_change')
    await medical.organisation.query("UPDATE entries SET entry = x'00' WHERE id IS NOT NULL")
    expect(linesOf(await exportText(medical)).at(-1)).toMatchObject({ receipts: 0, unreadable_entries: 1 })
    expect(await exportText(medical, '?format=csv')).toContain('incomplete,0')
  })
})

describe('an export as CSV', () => {
  it('has a row a receipt without proofs, and ends by saying that it is whole', async () => {
    const medical = await foundMedical()
    const id = await medical.run()
    const [columns = '', row = '', last = ''] = (await exportText(medical, '?format=csv')).split('\r\n')
    expect(columns.split(',')).toEqual([
      'id',
      'created_at',
      'trace_id',
      'model',
      'provider',
      'outcome',
      'use_case',
      'approval_state',
      'ended',
      'served_model',
      'cost_eur',
      'position',
      'leaf_hash',
      'request_hash',
    ])
    expect(row.split(',').slice(0, 11)).toEqual([
      id,
      '2091-03-15T12:00:00.000Z',
      `tr_${id.replaceAll('-', '')}`,
      'gpt-4.1-mini',
      'openai',
      'passed',
      'triage',
      '',
      'completed',
      'gpt-4.1-mini-2025-04-14',
      '0.000042',
    ])
    const { attestation, organisation_log: log } = await medical.show(id)
    const { leaf_index: position, leaf_hash: leaf } = log.proof
    expect(row.split(',').slice(11)).toEqual([String(position), leaf, attestation?.['request_hash']])
    expect(last).toMatch(/^complete,1,+$/)
  })
})

describe('an export that does not come to its end', () => {
  it('has no last line where a page fails for good, and the ledger says that it is not complete', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const failing = watchingPages(() => Promise.reject(new Error('out of reach')), 'receipts.export')
    const medical = await foundMedical({}, failing)
    await medical.run()
    const response = await medical.owner.ask('GET', `${PATH}/export`)
    const text = await response.text().catch(() => '')
    expect(text).not.toContain('medical_export.end')
    expect(await actsOf(medical.managed, 'receipts.export_end')).toMatchObject([{ complete: false, receipts: 0 }])
  })

  it('has no last line where the organisation is erased meanwhile', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const medical: MedicalOrganisation = await foundMedical(
      {},
      watchingPages(async (asked) => {
        if (asked === 0) return
        await medical.organisation.query(
          `INSERT INTO erasure (id, erasure_id, subject, jurisdiction, requested_by, requested_at, due_at, state, is_sealed)
           VALUES (1, 'era_1', '${medical.organisation.id}', 'eu', 'usr_a', ${noon}, ${noon}, 'running', 1)`,
        )
        await medical.organisation.evict()
      }, 'receipts.export'),
    )
    for (let n = 0; n < 150; n += 1) await medical.run()
    const response = await medical.owner.ask('GET', `${PATH}/export`)
    expect(await response.text().catch(() => '')).not.toContain('medical_export.end')
    expect(await actsOf(medical.managed, 'receipts.export_end')).toEqual([])
  })

  it('reads a page again that failed once', async () => {
    const medical = await foundMedical(
      {},
      watchingPages((asked) => {
        if (asked === 0) throw new Error('once')
      }, 'receipts.export'),
    )
    const id = await medical.run()
    expect(linesOf(await exportText(medical)).map((line) => line['id'])).toEqual([undefined, id, undefined])
  })

  it('is not begun for headers alone, nor more often than exports are, nor from a link', async () => {
    const medical = await foundMedical()
    const { owner } = medical
    const head = await owner.ask('HEAD', `${PATH}/export?format=csv`)
    expect([head.status, head.headers.get('content-disposition')]).toEqual([
      200,
      'attachment; filename="countersign-medical-receipts-2091-03-15.csv"',
    ])
    const linked = owner.ask('GET', `${PATH}/export`, undefined, { 'sec-fetch-site': 'cross-site' })
    expect(await errorOf(linked)).toMatchObject({ status: 403, code: 'origin_refused' })
    expect(await actsOf(medical.managed, 'receipts.export')).toEqual([])
    for (let n = 0; n < 5; n += 1) await exportText(medical)
    expect(await errorOf(owner.ask('GET', `${PATH}/export`))).toMatchObject({ status: 429 })
  })
})
