// Tests the crash runs' checks of approvals: whole books have no fault, and each kind of damage is found.
import { beforeAll, describe, expect, it } from 'vitest'
import { describeAcceptance } from '../../src/evidence/records/accept-record.ts'
import { receiptEntry } from '../../src/evidence/records/receipt-entry.ts'
import { encodeEntry, type EntryContent } from '../../src/evidence/entry.ts'
import type { EntryKind } from '../../src/evidence/entry-tags.ts'
import { findApprovalFaults, findHeldApprovalFaults } from '../support/e2e/crash/approval-faults.ts'
import type { Books } from '../support/e2e/crash/books.ts'
import { inventBooks, type Invented } from '../support/e2e/crash/invented-books.ts'
import { acceptanceOf, makeRefusal } from '../fixtures/evidence/invented-acceptance.ts'

let invented: Invented
beforeAll(async () => {
  invented = await inventBooks()
})

const ID = 'apr_1'

type Written = { kind: EntryKind | 'chat_decision'; content: EntryContent }

/** Everything needs approval; one request is asked for, approved, run and settled. */
async function write(): Promise<Written[]> {
  const refusal = await makeRefusal()
  const { signature: _, ...blocked } = refusal
  const allowed = { ...blocked, attestation_id: crypto.randomUUID(), outcome: 'ALLOWED' }
  const acceptance = describeAcceptance(acceptanceOf(refusal), refusal.public_key)
  const of = { kind: 'approval', approval_id: ID }
  const asked = { ...of, step: 'asked', key_id: 'key_1', request_hash: refusal.request_hash }
  return [
    { kind: 'member_act', content: { document: { human_approval: { when: [{}] } } } },
    { kind: 'chat_decision', content: blocked },
    { kind: 'approval', content: { ...asked, subject_position: 1, approvals_required: 1 } },
    { kind: 'approval', content: { ...of, step: 'decided', decision: 'approve', actor: 'usr_1', acceptance } },
    { kind: 'chat_decision', content: allowed },
    { kind: 'approval', content: { ...of, step: 'claimed', position: 4 } },
    { kind: 'settlement', content: { settles: 4, ended: 'completed', cost_microeur: 1 } },
    { kind: 'approval', content: { ...of, step: 'executed' } },
  ]
}

function booksOf(written: readonly Written[], endedApprovals = [{ id: ID, state: 'executed' }]): Books {
  const entries = written.map(({ kind, content }, position) => ({
    position,
    kind,
    entry: kind === 'chat_decision' ? receiptEntry(content) : encodeEntry(kind, content),
    facts: kind === 'chat_decision' ? { key_id: 'key_1', request_id: '', reserve_microeur: 0 } : null,
    answerSalt: null,
    expiresAt: Infinity,
  }))
  return { ...invented.books, entries, endedApprovals }
}

describe('whole books', () => {
  it('have no fault, whether the request has ended or not', async () => {
    const written = await write()
    expect(findApprovalFaults(booksOf(written))).toEqual([])
    for (const end of [3, 4, 6]) expect(findApprovalFaults(booksOf(written.slice(0, end), []))).toEqual([])
  })

  it('say what is held', async () => {
    const books = booksOf((await write()).slice(0, 6), [])
    const held = (...approvals: { id: string; state: string }[]) =>
      findHeldApprovalFaults(books, { ...invented.told, approvals })
    expect(held({ id: ID, state: 'claimed' })).toEqual([])
    expect(held({ id: ID, state: 'approved' })).toHaveLength(1)
    expect(held()).toHaveLength(1)
  })
})

describe('books that are wrong', () => {
  const change = (at: number, content: EntryContent) => (written: Written[]) =>
    written.map((one, position) => (position === at ? { ...one, content: { ...one.content, ...content } } : one))
  const without =
    (...gone: number[]) =>
    (written: Written[]) =>
      written.filter((_, position) => !gone.includes(position))

  it.each<[string, (written: Written[]) => Written[], RegExp]>([
    ['a request ran that nobody approved', without(3), /claimed after pending/],
    ['too few approved', change(2, { approvals_required: 2 }), /claimed after pending/],
    [
      'one person approved twice',
      (all) => [...all.slice(0, 4), ...all.slice(3)].map(twoNeeded),
      /claimed after pending/,
    ],
    ['a denied request ran', change(3, { decision: 'deny' }), /claimed after denied/],
    ['an approval was used twice', (all) => [...all.slice(0, 6), ...all.slice(4)], /claimed after claimed/],
    ['an approval was used after its end', (all) => [...all, ...all.slice(4, 6)], /claimed after executed/],
    [
      'an approval was used for another request',
      change(2, { request_hash: 'f'.repeat(64) }),
      /used for what it is not/,
    ],
    ['an approval was used by another key', change(2, { key_id: 'key_2' }), /used for what it is not/],
    ['an approval is used by what has ended', without(7), /used by 4, which has ended/],
    ['a request ran beside its approval', without(5, 7), /decision 4 let a request run that nobody approved/],
    ['a decision has no record', change(3, { acceptance: null }), /the record of entry 3/],
    ['a record is about another refusal', change(2, { subject_position: 4 }), /the record of entry 3/],
  ])('are found: %s', async (_, spoil, fault) => {
    expect(findApprovalFaults(booksOf(spoil(await write()))).join('\n')).toMatch(fault)
  })

  it('are found: an approval has ended without a row, or with another', async () => {
    const written = await write()
    for (const rows of [[], [{ id: ID, state: 'denied' }]]) {
      expect(findApprovalFaults(booksOf(written, rows)).join('\n')).toMatch(/other approvals have ended/)
    }
  })
})

const twoNeeded = (one: Written, at: number): Written =>
  at === 2 ? { ...one, content: { ...one.content, approvals_required: 2 } } : one
