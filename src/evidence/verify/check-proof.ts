// Checks proofs of a log together with signed heads of their trees. A proof alone is arithmetic: its maker chose the
// root, so it proves nothing.
import type { JsonObject } from '../../platform/json.ts'
import type { SignedTree } from '../records/tree-head.ts'
import { findHeadFault, findProofFault, isOfTree, LOGGED_FAULTS, type Tree } from '../bundles/logged-record.ts'
import { PROOF_FAULTS, verifyConsistency, verifyInclusion } from '../tree/proof.ts'
import type { CheckOptions } from './options.ts'
import { findTreeFault, judgeHead, judgeHeadAges, type JudgedHead } from './check-head.ts'
import { detectKind } from './document-kind.ts'
import { failed, passed, NOT_PROVEN, plain, type Finding } from './finding.ts'

/** Checks an inclusion proof. With `record`, the proof must be about that record, in a log that can contain it. */
export function checkInclusion(proof: JsonObject, options: CheckOptions, record?: JsonObject): Finding[] {
  const subject = `leaf ${plain(proof['leaf_index'])} of ${plain(proof['tree_size'])}`
  if ('mixed' in detectKind(proof, 'inclusion')) {
    return [failed('inclusion', subject, 'mixed_members', 'It has members of another kind of document.')]
  }
  const verdict = verifyInclusion(proof)
  if (!verdict.valid) return [failed('inclusion', subject, verdict.fault, PROOF_FAULTS[verdict.fault])]
  const proven = verdict.proof
  const fault = record === undefined ? null : findProofFault(record, proof, proven)
  if (fault !== null) return [failed('inclusion', subject, fault, LOGGED_FAULTS[fault])]
  const trees = [{ size: proven.tree_size, root: proven.root_hash }]
  const heads = options.heads.map((head) =>
    judgeHead(head, options, (tree) => {
      const treeFault = findTreeFault(proof, trees, tree)
      return treeFault ?? (record === undefined ? null : findHeadFault(record, proven, tree))
    }),
  )
  return [
    ...conclude(passed('inclusion', subject), trees, heads),
    ...judgeHeadAges(
      heads.map(({ tree }) => tree),
      options,
    ),
  ]
}

export function checkConsistency(proof: JsonObject, options: CheckOptions): Finding[] {
  const subject = `from ${plain(proof['old_size'])} to ${plain(proof['new_size'])} leaves`
  const verdict = verifyConsistency(proof)
  if (!verdict.valid) return [failed('consistency', subject, verdict.fault, PROOF_FAULTS[verdict.fault])]
  const { old_size, old_root, new_size, new_root } = verdict.proof
  const trees = [
    { size: old_size, root: old_root },
    { size: new_size, root: new_root },
  ]
  const [first, ...others] = options.heads.map((head) =>
    judgeHead(head, options, (tree) => findTreeFault(proof, trees, tree)),
  )
  const heads = first === undefined ? [] : [first, ...others.map((head) => ofSameLog(head, first))]
  const newest = heads.map(({ tree }) => tree).filter((tree) => tree?.treeSize === new_size)
  return [...conclude(passed('consistency', subject), trees, heads), ...judgeHeadAges(newest, options)]
}

/** Two logs with the same few leaves have one root. No consistency proof joins two logs. */
function ofSameLog(head: JudgedHead, first: JudgedHead): JudgedHead {
  if (head.tree === null || first.tree === null || head.tree.orgId === first.tree.orgId) return head
  const { subject } = head.finding
  return { finding: failed('head', subject, 'head_of_another_log', LOGGED_FAULTS.head_of_another_log), tree: null }
}

/** The proof's finding is valid if each of its trees was signed. The heads' findings follow it. */
function conclude(finding: Finding, trees: readonly Tree[], heads: readonly JudgedHead[]): Finding[] {
  return [judgeProof(finding, trees, heads), ...heads.map((head) => head.finding)]
}

function judgeProof(finding: Finding, trees: readonly Tree[], heads: readonly JudgedHead[]): Finding {
  const signed = heads.map(({ tree }) => tree).filter((tree): tree is SignedTree => tree !== null)
  const isProven = trees.every((tree) => signed.some((head) => isOfTree(head, tree)))
  if (isProven) return finding
  const missing = trees.length === 1 ? 'a head of its tree' : 'heads of both its trees'
  return failed(
    finding.kind,
    finding.subject,
    NOT_PROVEN,
    `It adds up, and proves nothing without ${missing}, signed by a key you trust.`,
  )
}
