// The books of the crash tests are judged by code that must itself be able to say no: each fault that a crash could leave
// is made here by hand, and found.
import { describe, expect, it } from 'vitest'
import type { Books } from '../../scripts/soak/crashes/books.ts'
import type { Sent } from '../../scripts/soak/crashes/clients.ts'
import { growTree } from '../../scripts/soak/crashes/ledger-faults.ts'
import { findFaults } from '../../scripts/soak/crashes/reconcile.ts'
import {
  headOf,
  inventBooks,
  invertedRoot,
  ORGANISATION,
  ownHead,
  withoutLastLeaf,
  type Invented,
} from '../support/e2e/crash/invented-books.ts'

type Change = (invented: Invented) => Books | Promise<void> | void

const faultsAfter = async (change: Change): Promise<string[]> => {
  const invented = await inventBooks()
  const books = (await change(invented)) ?? invented.books
  return findFaults(ORGANISATION, books, invented.witness)
}

const sentAt = ({ witness }: Invented, at: number): Sent => {
  const sent = witness.seen.sent[at]
  if (sent === undefined) throw new RangeError('no such request')
  return sent
}

/** Replaces a request as it was sent: what was judged of an answer is remembered by it. */
const resend = (invented: Invented, at: number, changed: Partial<Sent>): void => {
  invented.witness.seen.sent[at] = { ...sentAt(invented, at), ...changed }
}

const FAULTS: readonly (readonly [string, Change, RegExp])[] = [
  ['a leaf is lost at the end', ({ books }) => withoutLastLeaf(books), /there are 7 leaves/],
  ['a leaf is lost in the middle', ({ books }) => void books.leaves.splice(2, 1), /leaf 3 is misplaced/],
  ['a leaf is doubled', ({ books }) => void books.leaves.push(...books.leaves.slice(-1)), /leaf 7 is misplaced/],
  ['an entry is lost', ({ books }) => void books.entries.splice(0, 1), /8 leaves for 7 entries/],
  ['an entry says something else', ({ books }) => void books.entries[0]?.entry.fill(1, 20, 21), /entry 0 is not what/],
  ['two leaves change places', swapLeaves, /the head of size 2 is not of this history/],
  ['a node of the tree is missing', ({ books }) => void books.nodes.pop(), /node 3\/0 is missing/],
  ['a node of the tree is too many', addNode, /8 nodes where 7 belong/],
  ['a receipt is not in the index', ({ books }) => void books.receipts.pop(), /receipt 6 is not found/],
  ['the index holds what is no receipt', addReceipt, /6 receipts in the index of 5/],
  ['a head is larger than the log', addHead({ size: 9 }), /a head of size 9 was served/],
  ['two heads of one size differ', addHead({ size: 5 }), /two heads of size 5/],
  ['a head is of another history', addHead({ size: 4 }), /the head of size 4 is not of this history/],
  ['a head is not signed by the key', breakHead, /not valid: signature_mismatch/],
  ['a request is neither settled nor open', ({ books }) => void books.reservations.pop(), /decision 3 .* 0 times/],
  ['a request is settled and still open', reserveSettled, /decision 1 is settled or open 2 times/],
  ['a refusal holds money', reserveRefused, /open at 2 is no allowed decision/],
  ['more is reserved than was decided', reserveMore, /what is reserved for 3/],
  ['a month counts a request too few', changeMonth({ requests: 2 }), /requests of month/],
  ['a month forgets a cost', changeMonth({ spent_microeur: 40 }), /spent_microeur of month/],
  ['a month keeps a reservation', changeMonth({ reserved_microeur: 180 }), /reserved_microeur of month/],
  ['a call is not counted', changeCount({ n: 7, held: 7, newest: 7 }), /7 calls are counted of at least 8/],
  ['a call is counted that nobody made', changeCount({ n: 9, held: 9, newest: 9 }), /9 calls are counted of at most 8/],
  ['the calls of the minute have a gap', changeCount({ held: 7 }), /not numbered up to their count/],
  ['a provider got what nothing allows', provideRefused, /got ask-.*2, and nothing allows it/],
  ['a provider got what nobody decided about', provideUnknown, /got ask-.*, and nothing allows it/],
  ['a provider got a prompt twice', provideTwice, /got ask-.*1 2 times/],
  ['a decision is about nothing that was sent', (all) => void all.witness.seen.sent.shift(), /that nobody sent/],
  [
    'a decision names another request',
    (all) => resend(all, 0, { requestHash: '0'.repeat(64) }),
    /names another request/,
  ],
  ['a refusal was meant to be none', (all) => resend(all, 1, { kind: 'whole' }), /decision 2 should not be BLOCKED/],
  ['an answer has another trace', (all) => resend(all, 0, { traceId: `tr_${'9'.repeat(32)}` }), /is in no decision/],
  ['an answer has no attestation', (all) => resend(all, 0, { text: '{}' }), /whole without an attestation/],
  ['an attestation was changed', changeAttestation, /not valid: signature_mismatch/],
  ['an attestation is another’s', swapAnswers, /is not what the ledger says/],
  ['an answer’s decision is not written', forgetDecision, /is not in the ledger/],
  [
    'a 503 was sent to a provider',
    (all) => resend(all, 0, { status: 503, traceId: null, text: '{}' }),
    /without a trace/,
  ],
]

function swapLeaves({ books }: Invented): void {
  const [first, second] = books.leaves
  if (first !== undefined && second !== undefined) [first.hash, second.hash] = [second.hash, first.hash]
}

function addNode({ books }: Invented): void {
  books.nodes.push({ level: 4, position: 0, hash: new Uint8Array(32) })
}

function addReceipt({ books }: Invented): void {
  books.receipts.push({ attestation_id: 'f'.repeat(32), position: 0 })
}

function addHead({ size }: { size: number }): Change {
  return async ({ books, witness, key }) => {
    const tree = growTree(books.leaves)
    const root = invertedRoot(tree.rootAt(Math.min(size, tree.size)))
    witness.seen.heads.push(ownHead(await headOf({ size, root }, key)))
    witness.seen.questions.push({ organisationId: ORGANISATION })
    for (const count of books.counts) Object.assign(count, { n: 9, held: 9, newest: 9 })
  }
}

function breakHead({ witness }: Invented): void {
  const [first] = witness.seen.heads
  if (first !== undefined) first.head = { ...(first.head as object), tree_size: 3 }
}

function reserveSettled({ books }: Invented): void {
  books.reservations.push({ position: 1, admitted_at: 0, microeur: 90 })
}

function reserveRefused({ books }: Invented): void {
  books.reservations.push({ position: 2, admitted_at: 0, microeur: 0 })
}

function reserveMore({ books }: Invented): void {
  for (const reservation of books.reservations) reservation.microeur += 1
}

function changeMonth(changed: Partial<Books['months'][number]>): Change {
  return ({ books }) => {
    for (const month of books.months) Object.assign(month, changed)
  }
}

function changeCount(changed: Partial<Books['counts'][number]>): Change {
  return ({ books }) => {
    for (const count of books.counts) Object.assign(count, changed)
  }
}

function provideRefused(all: Invented): void {
  all.witness.provided.set(sentAt(all, 1).marker, 1)
}

function provideUnknown(all: Invented): void {
  const marker = 'ask-00000000-0000-4000-8000-000000000099'
  all.witness.seen.sent.push({ ...sentAt(all, 0), marker, text: '', traceId: null, status: null, isWhole: false })
  all.witness.provided.set(marker, 1)
}

function provideTwice(all: Invented): void {
  all.witness.provided.set(sentAt(all, 0).marker, 2)
}

function changeAttestation(all: Invented): void {
  resend(all, 2, { text: sentAt(all, 2).text.replace('"outcome":"ALLOWED"', '"outcome":"BLOCKED"') })
}

function swapAnswers(all: Invented): void {
  resend(all, 0, { text: sentAt(all, 4).text })
}

function forgetDecision(all: Invented): void {
  const marker = 'ask-00000000-0000-4000-8000-000000000098'
  all.witness.seen.sent.push({ ...sentAt(all, 0), marker, traceId: null })
}

describe('findFaults', () => {
  it('finds nothing where the books agree with what was seen', async () => {
    expect(await faultsAfter(() => {})).toEqual([])
  })

  it('lets an answer be cut, and a call be unanswered', async () => {
    const faults = await faultsAfter((all) => {
      resend(all, 0, { text: '{"cho', isWhole: false })
      resend(all, 2, { text: '', traceId: null, status: null, isWhole: false })
    })
    expect(faults).toEqual([])
  })

  it.each(FAULTS)('finds it where %s', async (_, change, fault) => {
    expect((await faultsAfter(change)).join('\n')).toMatch(fault)
  })
})
