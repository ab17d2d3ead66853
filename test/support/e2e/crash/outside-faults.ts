// Compares a ledger with what was seen from outside: requests to providers, and callers' requests and responses. Whatever a
// provider was sent has its entry. No entry is of a request that nobody sent.
import { nativeCryptography } from '../../../../scripts/verify/native-cryptography.ts'
import { receiptEntry } from '../../../../src/evidence/records/receipt-entry.ts'
import { verifyRecord } from '../../../../src/evidence/records/verify-record.ts'
import { type Books, faultIf } from './books.ts'
import { attestationsIn, type Sent, type SentKind } from './clients.ts'
import { decisionsIn, type WrittenDecision } from './decisions.ts'

export type Outside = {
  /** The organisation's own requests. */
  sent: readonly Sent[]
  /** The marker of each of its prompts that a provider has got, and how often it got it. */
  provided: ReadonlyMap<string, number>
  /** In base64url; what is signed otherwise is not valid. */
  publicKey: string
}

const OUTCOMES: Readonly<Record<SentKind, readonly string[]>> = {
  whole: ['ALLOWED'],
  stream: ['ALLOWED'],
  refused: ['BLOCKED'],
  repeated: ['ALLOWED', 'SUPPRESSED'],
  again: ['ALLOWED'],
}

export function findOutsideFaults(books: Books, outside: Outside): string[] {
  const decisions = new Map<string, WrittenDecision[]>()
  for (const decision of decisionsIn(books)) {
    const { request_id: marker } = decision.facts
    decisions.set(marker, [...(decisions.get(marker) ?? []), decision])
  }
  const decided = (marker: string): readonly WrittenDecision[] => decisions.get(marker) ?? []
  const sent = new Map(outside.sent.map((one) => [one.marker, one]))
  return [
    ...[...decisions].flatMap(([marker, written]) => findDecisionFaults(sent.get(marker), written)),
    ...findPromptFaults(outside.provided, decided),
    ...outside.sent.flatMap((one) => findAnswerFaults(one, decided(one.marker), outside)),
  ]
}

/** A request is decided about once, as its sender meant it, under the hash that the sender makes of it. */
function findDecisionFaults(sent: Sent | undefined, written: readonly WrittenDecision[]): string[] {
  const [first] = written
  if (first === undefined) return []
  const { position, record } = first
  if (sent === undefined) return [`decision ${position} is about a request that nobody sent`]
  return [
    ...faultIf(written.length > 1, `${written.length} decisions are about request ${sent.marker}`),
    ...faultIf(record.request_hash !== sent.requestHash, `decision ${position} names another request`),
    ...faultIf(!OUTCOMES[sent.kind].includes(record.outcome), `decision ${position} should not be ${record.outcome}`),
  ]
}

/** Nothing leaves that is not written: each prompt belongs to a decision that allowed it, and is sent once. */
function findPromptFaults(
  provided: Outside['provided'],
  decided: (marker: string) => readonly WrittenDecision[],
): string[] {
  const isAllowed = (marker: string): boolean => decided(marker).some(({ record }) => record.outcome === 'ALLOWED')
  const prompts = [...provided]
  return [
    ...prompts.flatMap(([marker]) => faultIf(!isAllowed(marker), `a provider got ${marker}, and nothing allows it`)),
    ...prompts.flatMap(([marker, times]) => faultIf(times !== 1, `a provider got ${marker} ${times} times`)),
  ]
}

function findAnswerFaults(sent: Sent, written: readonly WrittenDecision[], { publicKey, provided }: Outside): string[] {
  const { marker, traceId, status, isWhole } = sent
  const judged = judgeAnswer(sent, publicKey)
  const [decision] = written
  const isUnknownTrace = traceId !== null && decision?.record.trace_id !== traceId
  // An answer without a trace says that nothing was decided and nothing sent, unless the same request was sent before.
  const mayHaveRun = sent.kind === 'again'
  const isBetrayed = status !== null && traceId === null && !mayHaveRun && provided.has(marker)
  const isUnattested = isWhole && traceId !== null && judged.length === 0 && !namesRecord(sent.text, traceId)
  return [
    ...faultIf(isUnknownTrace, `${marker} was answered with a trace that is in no decision`),
    ...faultIf(isBetrayed, `${marker} was answered ${status} without a trace, and a provider got it`),
    ...faultIf(isUnattested, `${marker} was answered whole without an attestation`),
    ...judged.flatMap(({ entry, fault }) => {
      if (entry === null) return [`the attestation of ${marker} is not valid: ${fault}`]
      if (decision === undefined) return [`the attestation of ${marker} is not in the ledger`]
      const isOther = !entry.equals(receiptEntry(decision.record))
      return faultIf(isOther, `the attestation of ${marker} is not what the ledger says`)
    }),
  ]
}

/** Returns true for an error, which has the id of its record: the digits of its trace. */
const namesRecord = (text: string, traceId: string): boolean =>
  text.replaceAll('-', '').includes(`"attestation_id":"${traceId.replace('tr_', '')}"`)

/** An attestation of the pinned key, as the entry that stands in the ledger for it; or what is wrong with it. */
type Judged = { entry: Buffer; fault: null } | { entry: null; fault: string }

const { verifyEd25519 } = nativeCryptography()

/** By answer: checking a signature costs more than all the rest, and an answer that was given does not change. */
const judgements = new WeakMap<Sent, readonly Judged[]>()

function judgeAnswer(sent: Sent, publicKey: string): readonly Judged[] {
  const known = judgements.get(sent)
  if (known !== undefined) return known
  const judged = attestationsIn(sent).map((attestation): Judged => {
    const verdict = verifyRecord(attestation, { keys: [publicKey] }, { verify: verifyEd25519 })
    if (!verdict.valid) return { entry: null, fault: verdict.fault }
    return { entry: Buffer.from(receiptEntry(attestation)), fault: null }
  })
  judgements.set(sent, judged)
  return judged
}
