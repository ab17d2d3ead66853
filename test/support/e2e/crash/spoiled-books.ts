// Spoils invented books in each way in which a crash could, and says how the judge must name it.
import { encodeEntry, leafHash, type EntryContent } from '../../../../src/evidence/entry.ts'
import type { EntryKind } from '../../../../src/evidence/entry-tags.ts'
import { answerMember } from '../../../../src/evidence/records/answer-outline.ts'
import { readReceiptEntry } from '../../../../src/evidence/records/receipt-entry.ts'
import { FactsSchema, type Books } from './books.ts'
import type { Sent } from './clients.ts'
import {
  headOf,
  invertedRoot,
  ORGANISATION,
  ownHead,
  settlementOf,
  withoutLastLeaf,
  type Invented,
} from './invented-books.ts'
import { growTree } from './ledger-faults.ts'

export type Change = (invented: Invented) => Books | Promise<void> | void

export const sentAt = ({ witness }: Invented, at: number): Sent => {
  const sent = witness.seen.sent[at]
  if (sent === undefined) throw new RangeError('no such request')
  return sent
}

/** Replaces a request as it was sent: what was judged of an answer is remembered by it. */
export const resend = (invented: Invented, at: number, changed: Partial<Sent>): void => {
  invented.witness.seen.sent[at] = { ...sentAt(invented, at), ...changed }
}

export const FAULTS: readonly (readonly [string, Change, RegExp])[] = [
  ['a leaf is lost at the end', ({ books }) => withoutLastLeaf(books), /there are 7 leaves/],
  ['a leaf is lost in the middle', ({ books }) => void books.leaves.splice(2, 1), /leaf 3 is misplaced/],
  ['a leaf is doubled', ({ books }) => void books.leaves.push(...books.leaves.slice(-1)), /leaf 7 is misplaced/],
  ['an entry is lost', ({ books }) => void books.entries.splice(0, 1), /8 leaves for 7 entries/],
  ['an entry says something else', ({ books }) => void books.entries[0]?.entry.fill(1, 20, 21), /entry 0 is not what/],
  ['two leaves change places', swapLeaves, /the head of size 2 is not of this history/],
  ['a row has another outcome than its entry', sayOfRow(1, { outcome: 'BLOCKED' }), /entry 1 has another outcome/],
  ['a row has another reservation', sayOfRow(3, { microeur: 91 }), /entry 3 has another microeur/],
  ['a row has another key', sayOfRow(3, { key_id: 'key_2' }), /entry 3 has another key_id/],
  ['a row settles something else', sayOfRow(4, { settles: 3 }), /entry 4 has another settles/],
  ['a settlement costs something else', sayOfRow(4, { microeur: 0 }), /entry 4 has another microeur/],
  ['a receipt is not in the index', sayOfRow(6, { id: null }), /receipt 6 is not found/],
  ['the index holds what is no receipt', sayOfRow(0, { id: 'f'.repeat(32) }), /receipt 0 is not found/],
  ['a snapshot is of entries that are not there', changeSnapshot({ before: 9 }), /snapshot is of 9 entries/],
  ['a snapshot is of calls that are not there', changeSnapshot({ n: 3 }), /of 3 calls before entry 5, and there are 2/],
  ['a snapshot is of another place', changeSnapshot({ before: 4, n: 0 }), /the newest snapshot has another tree/],
  ['a head is larger than the log', addHead({ size: 9 }), /a head of size 9 was served/],
  ['two heads of one size differ', addHead({ size: 5 }), /two heads of size 5/],
  ['a head is of another history', addHead({ size: 4 }), /the head of size 4 is not of this history/],
  ['a head is not signed by the key', breakHead, /not valid: signature_mismatch/],
  ['a request is neither settled nor open', ({ told }) => void told.open.pop(), /decision 3 is neither/],
  ['a request is settled and still open', open({ position: 1, microeur: 90 }), /open at 1 is no allowed decision/],
  ['a refusal holds money', open({ position: 2, microeur: 0 }), /open at 2 is no allowed decision/],
  ['more is reserved than was decided', reserveMore, /what is reserved for 3/],
  ['a request is settled twice', settleInstead(1), /decision 1 is settled 2 times/],
  ['a refusal is settled', settleInstead(2), /settled at 2 is no allowed decision/],
  ['a cached call costs something', settleCached({ cost_microeur: 1 }), /answered at 6 costs something/],
  ['facts were changed', changeFacts({ reserve_microeur: 179 }), /facts of decision 6 are not those of its id/],
  ['a settlement repeats other facts', settleInstead(6), /settlement 7 has not the hash of the facts of 6/],
  ['an answer has no salt', answer({ answerSalt: null }), /settlement 7 has not the salt of its answer/],
  ['an answer has another salt', answer({ answerSalt: '0'.repeat(32) }), /settlement 7 has not the salt of its answer/],
  ['a cached call is of none', settleCached({ cached_from: 'another' }), /answered at 6 is of no call that was run/],
  ['a cached call is not settled as one', settleCached({ ended: 'completed' }), /7 is not settled with its decision/],
  ['a month counts a request too few', changeMonth({ requests: 2 }), /requests of month/],
  ['a month forgets a cost', changeMonth({ spentMicroeur: 40 }), /spentMicroeur of month/],
  ['a month keeps a reservation', changeMonth({ reservedMicroeur: 180 }), /reservedMicroeur of month/],
  ['a month was never', ({ told }) => void told.months.push({ ...NO_MONTH, requests: 1 }), /requests of month 1 /],
  ['the state is not the fold', ({ told }) => void told.differences.push('loops.since'), /events come to: loops/],
  ['a start reads another state', ({ told }) => void told.differencesAtStart.push('next'), /a start does not .*: next/],
  ['a count is another', ({ told }) => void told.usageDifferences.push('2026-11-20.rows'), /what was counted .*: 2026/],
  ['the state is of fewer entries', ({ told }) => void (told.next = 7), /the next entry is 7 after 8 entries/],
  ['the day counts a call too few', ({ told }) => void (told.today.calls = 7), /7 calls of the day .* 8 are written/],
  ['a call is not counted', ({ books }) => void books.calls.pop(), /7 calls are counted of at least 8/],
  ['a call is counted that nobody made', addCall({ before: 8, n: 0 }), /9 calls are counted of at most 8/],
  ['calls between two entries have a gap', addCall({ before: 8, n: 1 }), /before entry 8 are not numbered from 0/],
  ['a call came before an entry that is gone', addCall({ before: 9, n: 0 }), /before entry 9, and there are 8/],
  ['a letter was answered whose end is not written', sendLetter({ status: 200 }), /letter-a was answered/],
  ['a provider got a letter that nobody decided about', provideLetter, /a provider got letter-a/],
  ['a letter was read that nobody sent', beginReading, /nobody sent letter-b, which was read/],
  ['what ended never began', endReading, /entry 8 ends a reading that never began/],
  [
    'a reading is held that never began',
    ({ told }) => void told.readings.push({ position: 9, microeur: 1 }),
    /1 readings/,
  ],
  ['a day has a cost of no reading', spendDay, /readings of key_1 on day 5 cost 7, and add up to 0/],
  ['a key has no entry', ({ books }) => void books.keyIds.push('key_2'), /key key_2 has no entry/],
  ['an entry has no key', ({ books }) => void books.keyIds.splice(0), /the entry of key key_1 has no key/],
  ['a key was issued that is lost', act({ keyId: 'key_3' }), /key key_3 was issued and is not there/],
  ['a change was answered that is lost', act({ version: 2 }), /version 2 of the settings was answered/],
  [
    'other settings are held than written',
    ({ told }) => void (told.settingsVersion = 2),
    /version 2, and 1 is written/,
  ],
  ['a policy was answered that is lost', act({ policyVersion: 1 }), /version 1 of the policy was answered/],
  ['a policy is held that is not written', ({ told }) => void (told.policyVersion = 1), /of version 1, and 0 is/],
  ['a policy is written twice', putPolicyTwice, /do not follow one another/],
  ['the history lacks a policy', putPolicyTwice, /the history has other/],
  ['an hour counts a decision too few', countHour({ allowed: 2 }), /counts 8 are not those of its decisions/],
  ['an hour begins later than the last one ended', countHour({ from: 1 }), /counts 8 begin at 1, and not at 0/],
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
  [
    'an error names another record',
    (all) => resend(all, 1, { text: sentAt(all, 3).text }),
    /whole without an attestation/,
  ],
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

const NO_MONTH = { month: 1, requests: 0, spentMicroeur: 0, reservedMicroeur: 0 }

function sayOfRow(position: number, said: Partial<Books['rows'][number]>): Change {
  return ({ books }) => void Object.assign(books.rows[position] ?? {}, said)
}

function changeSnapshot(changed: Partial<Books['snapshots'][number]>): Change {
  return ({ books }) => {
    for (const snapshot of books.snapshots) Object.assign(snapshot, changed)
  }
}

function addCall({ before, n }: { before: number; n: number }): Change {
  return ({ books }) => void books.calls.push({ before, n, at: 0, of_gateway: 1, outcome: 'counted' })
}

function open(chat: Invented['told']['open'][number]): Change {
  return ({ told }) => void told.open.push(chat)
}

/** Lets the settlement of entry 6 settle another entry. */
function settleInstead(settles: number): Change {
  return ({ books }) => {
    const entry = encodeEntry('settlement', { settles, ended: 'completed', cost_microeur: 1 })
    Object.assign(books.entries[7] ?? {}, { entry })
  }
}

function changeFacts(changed: object): Change {
  return ({ books }) => {
    const decision = books.entries[6]
    if (decision !== undefined) decision.facts = FactsSchema.parse({ ...decision.facts, ...changed })
  }
}

const SALT = '5a17'.repeat(8)

/** Lets the settlement of entry 6 commit to an answer. */
function answer(beside: { answerSalt: string | null }): Change {
  return ({ books }) => {
    const content = {
      settles: 6,
      ended: 'completed',
      cost_microeur: 1,
      answer: answerMember({ sha256: 'a'.repeat(64), salt: SALT }),
    }
    Object.assign(books.entries[7] ?? {}, { entry: settlementOf(books.entries[6], content), ...beside })
  }
}

/** Lets the settlement of entry 6 say that the cache answered it. */
export function settleCached(said: { cost_microeur?: number; cached_from?: string; ended?: string }): Change {
  return ({ books }) => {
    const cachedFrom = readReceiptEntry(books.entries[1]?.entry ?? new Uint8Array())?.attestation_id ?? ''
    const right = { settles: 6, ended: 'cached', cost_microeur: 0, cached_from: cachedFrom }
    Object.assign(books.entries[7] ?? {}, { entry: settlementOf(books.entries[6], { ...right, ...said }) })
  }
}

function addHead({ size }: { size: number }): Change {
  return async ({ books, witness, key }) => {
    const tree = growTree(books.leaves)
    const root = invertedRoot(tree.rootAt(Math.min(size, tree.size)))
    witness.seen.heads.push(ownHead(await headOf({ size, root }, key)))
    witness.seen.questions.push({ organisationId: ORGANISATION })
    books.calls.push({ before: 8, n: 0, at: 0, of_gateway: 1, outcome: 'counted' })
  }
}

function breakHead({ witness }: Invented): void {
  const [first] = witness.seen.heads
  if (first !== undefined) first.head = { ...(first.head as object), tree_size: 3 }
}

function sendLetter({ status }: { status: number }): Change {
  return ({ witness }) => void witness.seen.letters.push({ organisationId: ORGANISATION, marker: 'letter-a', status })
}

function provideLetter(all: Invented): void {
  void sendLetter({ status: 503 })(all)
  all.witness.provided.set('letter-a', 5)
}

function append({ books }: { books: Books }, kind: EntryKind, content: EntryContent): void {
  const position = books.entries.length
  const entry = encodeEntry(kind, content)
  books.entries.push({ position, kind, entry, facts: null, answerSalt: null, expiresAt: 0 })
  books.leaves.push({ position, hash: leafHash(entry) })
}

function beginReading(all: { books: Books }): void {
  append(all, 'referral_decision', { decision: 'reading', key_id: 'key_1', request_id: 'letter-b' })
}

function endReading(all: Invented): void {
  append(all, 'settlement', { settles: 2, cost_microeur: 4 })
}

/** A reading of its own, with the rows beside its entries. Returns the row of its end. */
export function finishReading(books: Books, ended: 'settled' | 'interrupted'): Books['rows'][number] {
  const begun = { kind: 'referral_decision', at: 0, id: null, outcome: null, microeur: 4, settles: null }
  const end = { kind: 'settlement', at: 0, id: null, key_id: null, outcome: ended, microeur: 4, settles: 8 }
  const outcome = ended === 'interrupted' ? { outcome: ended } : {}
  beginReading({ books })
  append({ books }, 'settlement', { settles: 8, cost_microeur: 4, ...outcome })
  books.rows.push({ ...begun, position: 8, key_id: 'key_1' }, { ...end, position: 9 })
  return { ...end, position: 9 }
}

function spendDay({ told }: Invented): void {
  told.days.push({ keyId: 'key_1', day: 5, microeur: 7 })
}

function act(acted: { keyId?: string; version?: number; policyVersion?: number }): Change {
  return ({ witness }) => void witness.seen.acts.push({ organisationId: ORGANISATION, ...acted })
}

function putPolicyTwice(all: Invented): void {
  for (const _ of [1, 2]) append(all, 'member_act', { act: 'policy.put', policy_version: 1 })
}

function countHour(told: { allowed?: number; from?: number }): Change {
  const right = { from: 0, allowed: 3, blocked: 1, suppressed: 1, refused: { scope: 0, closing: 0 }, other_calls: 3 }
  return (all) => append(all, 'hour_counts', { ...right, ...told })
}

function reserveMore({ told }: Invented): void {
  for (const chat of told.open) chat.microeur += 1
}

function changeMonth(changed: Partial<Invented['told']['months'][number]>): Change {
  return ({ told }) => {
    for (const month of told.months) Object.assign(month, changed)
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
