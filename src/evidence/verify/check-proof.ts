// Checks signed heads, and proofs of a log together with signed heads of their trees. A proof alone is arithmetic: its maker
// chose the root, so it proves nothing.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { HEAD_FAULTS, verifyHead, type SignedTree } from '../records/tree-head.ts'
import {
  findHeadFault,
  findProofFault,
  isHeadOfTree,
  LOGGED_FAULTS,
  type LoggedFault,
  type Tree,
} from '../bundles/logged-record.ts'
import { PROOF_FAULTS, verifyConsistency, verifyInclusion } from '../tree/verify-proof.ts'
import { detectKind } from './document-kind.ts'
import { toPrintable } from './printable.ts'
import { failed, faultOf, judged, passed, unproven, type Finding } from './verification-finding.ts'
import { judgeHeadAge } from './freshness.ts'
import { pinnedTrustOf, type CheckOptions } from './check-options.ts'

export function checkHead(head: JsonObject, options: CheckOptions): Finding[] {
  const { finding, tree } = judgeHead(head, options, () => null)
  return [finding, ...judgeHeadAges([tree], options)]
}

/** Separates a proof from the head that an answer of the service can have beside it: `{"head": …, "proof": …}`. */
export const proofAndHeads = (
  given: JsonObject | null,
  heads: readonly JsonObject[],
): Pick<CheckOptions, 'proof' | 'heads'> =>
  isJsonObject(given?.['head']) && isJsonObject(given['proof'])
    ? { proof: given['proof'], heads: [given['head'], ...heads] }
    : { proof: given, heads }

/** `tree`: null after any fault. */
type JudgedHead = { finding: Finding; tree: SignedTree | null }

/** @param findFault finds a fault in the tree of a correctly signed head */
export function judgeHead(
  head: JsonObject,
  options: CheckOptions,
  findFault: (tree: SignedTree) => LoggedFault | null,
): JudgedHead {
  const log = head['log'] === 'public' ? 'public log' : toPrintable(head['org_id'])
  const subject = `${log}, ${toPrintable(head['tree_size'])} leaves`
  if ('mixed' in detectKind(head, 'head')) return { finding: mixedMembers('head', subject), tree: null }
  const verdict = verifyHead(head, pinnedTrustOf(options))
  const fault = verdict.valid ? faultOf(LOGGED_FAULTS, findFault(verdict)) : faultOf(HEAD_FAULTS, verdict.fault)
  if (fault !== null || !verdict.valid) return { finding: judged('head', subject, fault), tree: null }
  return { finding: judged('head', subject, null, verdict.keySource), tree: verdict }
}

const mixedMembers = (kind: Finding['kind'], subject: string): Finding =>
  failed(kind, subject, 'mixed_members', 'It has members of another kind of document.')

const judgeHeadAges = (trees: readonly (SignedTree | null)[], { freshness }: CheckOptions): Finding[] =>
  freshness === null ? [] : trees.flatMap((tree) => (tree === null ? [] : [judgeHeadAge(tree, freshness)]))

/** A record, and its leaf in lower-case hexadecimal; null if it can have none. */
type Logged = { record: JsonObject; leaf: string | null }

/** Checks an inclusion proof. With a record, the proof must be about its leaf, in a log that can contain it. */
export function checkInclusion(proof: JsonObject, options: CheckOptions, logged?: Logged): Finding[] {
  const subject = `leaf ${toPrintable(proof['leaf_index'])} of ${toPrintable(proof['tree_size'])}`
  if ('mixed' in detectKind(proof, 'inclusion')) return [mixedMembers('inclusion', subject)]
  const verdict = verifyInclusion(proof)
  if (!verdict.valid) return [judged('inclusion', subject, faultOf(PROOF_FAULTS, verdict.fault))]
  const proven = verdict.proof
  const fault = logged === undefined ? null : findProofFault(logged, proof, proven)
  if (fault !== null) return [judged('inclusion', subject, faultOf(LOGGED_FAULTS, fault))]
  const trees = [{ size: proven.tree_size, root: proven.root_hash }]
  const heads = options.heads.map((head) =>
    judgeHead(
      head,
      options,
      (tree) =>
        findTreeFault(proof, trees, tree) ?? (logged === undefined ? null : findHeadFault(logged.record, proven, tree)),
    ),
  )
  const headTrees = heads.map(({ tree }) => tree)
  return [...conclude(passed('inclusion', subject), trees, heads), ...judgeHeadAges(headTrees, options)]
}

export function checkConsistency(proof: JsonObject, options: CheckOptions): Finding[] {
  const subject = `from ${toPrintable(proof['old_size'])} to ${toPrintable(proof['new_size'])} leaves`
  const verdict = verifyConsistency(proof)
  if (!verdict.valid) return [judged('consistency', subject, faultOf(PROOF_FAULTS, verdict.fault))]
  const { old_size, old_root, new_size, new_root } = verdict.proof
  const trees = [
    { size: old_size, root: old_root },
    { size: new_size, root: new_root },
  ]
  const [first, ...others] = options.heads.map((head) =>
    judgeHead(head, options, (tree) => findTreeFault(proof, trees, tree)),
  )
  const heads = first === undefined ? [] : [first, ...others.map((head) => requireSameLog(head, first))]
  const newest = heads.map(({ tree }) => tree).filter((tree) => tree?.treeSize === new_size)
  return [...conclude(passed('consistency', subject), trees, heads), ...judgeHeadAges(newest, options)]
}

/** Checks that a signed head has one of a proof's trees, and is of the log that the proof names. */
function findTreeFault(proof: JsonObject, trees: readonly Tree[], head: SignedTree): LoggedFault | null {
  const { org_id: orgId, log } = proof
  const isOtherLog =
    (orgId !== undefined && orgId !== head.orgId) || (log !== undefined && (log !== 'public' || head.orgId !== null))
  if (isOtherLog) return 'head_of_another_log'
  return trees.some((tree) => isHeadOfTree(head, tree)) ? null : 'head_of_another_tree'
}

/** Requires one log. Two logs with the same few leaves have one root, and no consistency proof joins two logs. */
function requireSameLog(head: JudgedHead, first: JudgedHead): JudgedHead {
  if (head.tree === null || first.tree === null || head.tree.orgId === first.tree.orgId) return head
  const { subject } = head.finding
  return { finding: judged('head', subject, faultOf(LOGGED_FAULTS, 'head_of_another_log')), tree: null }
}

/** Returns the proof's finding, which is valid if each of its trees was signed, and the heads' findings after it. */
function conclude(finding: Finding, trees: readonly Tree[], heads: readonly JudgedHead[]): Finding[] {
  const isProven = trees.every((tree) => heads.some((head) => head.tree !== null && isHeadOfTree(head.tree, tree)))
  const missing = trees.length === 1 ? 'a head of its tree' : 'heads of both its trees'
  const reason = `It adds up, and proves nothing without ${missing}, signed by a key you trust.`
  const proof = isProven ? finding : judged(finding.kind, finding.subject, unproven(reason))
  return [proof, ...heads.map((head) => head.finding)]
}
