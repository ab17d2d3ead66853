// Checks a history: several public heads with the proofs between them. The verdicts and their order are those of the publisher's
// own function, assess_history of aqta_verify_receipt. So both functions report the same fault first.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { isPlainTime } from '../records/rfc3339.ts'
import { verifyHead } from '../records/tree-head.ts'
import type { PinnedTrust } from '../records/verify-record.ts'
import { verifyConsistency, verifyInclusion } from '../tree/verify-proof.ts'
import { faultOf, judged, type Finding } from './verification-finding.ts'
import { pinnedTrustOf, type CheckOptions } from './check-options.ts'

export const HISTORY_VERDICTS = {
  invalid_head: 'A head is missing, not public, not signed by a key trusted at its time, or its time is malformed.',
  equivocation: 'Two heads of one size have different roots: two histories were signed.',
  unsigned_root: 'A proof is about a tree that no head in the bundle has signed.',
  fork: 'Between two signed heads the log did not only grow.',
  invalid_proof: 'A proof does not lead to the signed head, or a record’s time is malformed.',
  timestamp_contradiction: 'A record claims a later time than that of a head which already includes it.',
  consistent: 'The heads are of one history, and the records are in it.',
} as const

export type HistoryVerdict = keyof typeof HISTORY_VERDICTS

export function checkHeadHistory(bundle: JsonObject, options: CheckOptions): Finding {
  const verdict = assessHistory(bundle, pinnedTrustOf(options))
  const counts = ['heads', 'consistency', 'inclusions'].map((name) => `${listOf(bundle[name])?.length ?? 0} ${name}`)
  const subject = counts.join(', ')
  return judged('history', subject, verdict === 'consistent' ? null : faultOf(HISTORY_VERDICTS, verdict))
}

type Head = { treeSize: number; rootHash: string; timestamp: string }

/**
 * Returns the first fault: in the heads, then in the consistency proofs, then in the inclusion proofs. If `trust` has a list of
 * keys, each head is checked with the key of its time. So a history may span a change of keys.
 */
export function assessHistory(bundle: unknown, trust: PinnedTrust): HistoryVerdict {
  if (!isJsonObject(bundle)) return 'invalid_head'
  const heads = readHeads(bundle['heads'], trust)
  if (heads === null) return 'invalid_head'
  if (isEquivocal(heads)) return 'equivocation'
  return (
    findConsistencyFault(bundle['consistency'], heads) ??
    findInclusionFault(bundle['inclusions'], heads) ??
    'consistent'
  )
}

function readHeads(heads: unknown, trust: PinnedTrust): Head[] | null {
  if (!Array.isArray(heads) || heads.length === 0) return null
  const read: Head[] = []
  for (const head of heads as readonly unknown[]) {
    const verdict = verifyHead(head, trust)
    if (!verdict.valid || verdict.orgId !== null || !isPlainTime(verdict.timestamp)) return null
    read.push({ treeSize: verdict.treeSize, rootHash: verdict.rootHash, timestamp: verdict.timestamp })
  }
  return read
}

function isEquivocal(heads: readonly Head[]): boolean {
  const roots = new Map<number, string>()
  return heads.some(({ treeSize, rootHash }) => {
    const first = roots.get(treeSize) ?? rootHash
    roots.set(treeSize, first)
    return first !== rootHash
  })
}

function findConsistencyFault(proofs: unknown, heads: readonly Head[]): HistoryVerdict | null {
  for (const proof of listOf(proofs) ?? [null]) {
    if (!isJsonObject(proof)) return 'unsigned_root'
    const ends = [
      headOf(heads, proof['old_size'], proof['old_root']),
      headOf(heads, proof['new_size'], proof['new_root']),
    ]
    if (ends.includes(undefined)) return 'unsigned_root'
    if (!verifyConsistency(proof).valid) return 'fork'
  }
  return null
}

function findInclusionFault(inclusions: unknown, heads: readonly Head[]): HistoryVerdict | null {
  let isContradicted = false
  for (const inclusion of listOf(inclusions) ?? [null]) {
    const proof = isJsonObject(inclusion) ? inclusion['proof'] : null
    if (!isJsonObject(inclusion) || !isJsonObject(proof)) return 'invalid_proof'
    const head = headOf(heads, proof['tree_size'], proof['root_hash'])
    if (head === undefined) return 'unsigned_root'
    if (!verifyInclusion(proof).valid) return 'invalid_proof'
    const claimed = claimedTime(inclusion)
    if (claimed === null) return 'invalid_proof'
    // Both times have one form, in which text sorts like time.
    isContradicted ||= claimed > head.timestamp
  }
  return isContradicted ? 'timestamp_contradiction' : null
}

/** Returns an empty text for a missing time, which sorts before every time; null for another form. */
function claimedTime({ record_timestamp: claimed }: JsonObject): string | null {
  if (claimed === undefined) return ''
  return isPlainTime(claimed) ? claimed : null
}

/** Returns an empty list if the member is missing; null if it is no list. */
const listOf = (proofs: unknown): readonly unknown[] | null => {
  if (proofs === undefined || proofs === null) return []
  return Array.isArray(proofs) ? proofs : null
}

/**
 * Returns the first head of that size and root. A size in another spelling, such as 5.0, still finds its head. The proof is then
 * invalid, and not a proof about another head.
 */
const headOf = (heads: readonly Head[], size: unknown, root: unknown): Head | undefined =>
  heads.find(
    ({ treeSize, rootHash }) => treeSize === size && typeof root === 'string' && root.toLowerCase() === rootHash,
  )
