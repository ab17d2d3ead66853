// Checks a document's anchor: how far an organisation's log is anchored in the public log. The anchor must be a leaf there. The
// anchored tree and the tree of the document's head must have one history: the smaller is the beginning of the larger.
//
// SECURITY: the sender may remove the anchor, so a missing anchor is always reported.
import { bytesToHex } from '@noble/hashes/utils.js'
import { readKeyList } from '../records/key-list.ts'
import { wholeNumberIn } from '../records/number-text.ts'
import { parseRfc3339 } from '../records/rfc3339.ts'
import { verifyHead, type SignedTree } from '../records/tree-head.ts'
import type { PinnedTrust } from '../records/verify-record.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { anchorLeaf, readAnchor, type AnchorDocument } from '../bundles/anchor.ts'
import { isHeadOfTree, LOGGED_FAULTS, type Tree } from '../bundles/logged-record.ts'
import { verifyConsistency } from '../tree/verify-proof.ts'
import { toPrintable } from './printable.ts'
import { faultOf, judged, passed, unproven, type Fault, type Finding } from './verification-finding.ts'
import { hasExactMembers } from '../records/member-names.ts'
import { judgeProof, judgeSignedHead } from './judge-log.ts'

export const ANCHOR_FAULTS = {
  not_an_anchor: 'Its members are not exactly those of an anchor and its proofs.',
  anchor_mismatch: 'The proof in the public log is about other bytes: the anchor was changed, or is another one.',
  anchor_of_another_log: 'Its proof of consistency is of another log or another tree than the anchor and the head are.',
  fork: 'The log of this head does not continue what was anchored: there are two histories, or the proof was changed.',
  anchor_after_head: 'The anchor claims a later time than that of the public head which already includes it.',
  public_log_forked:
    'The document has two signed heads of the public log, of one size and with two roots. Keep it: it proves that.',
  head_of_another_tree: LOGGED_FAULTS.head_of_another_tree,
} as const

const CONSISTENCY_MEMBERS = ['old_size', 'new_size', 'old_root', 'new_root', 'consistency_path']

/** Codes for anchors without a fault. */
export const NOT_ANCHORED = 'not_anchored'
export const NOT_ANCHORED_YET = 'not_anchored_yet'

type AnchoredDocument = {
  head: unknown
  /** The highest leaf position in the document; null if it has none. */
  last: number | null
  /** The document's own list of keys, which can take trust away; undefined without one. */
  keys?: unknown
  /** The document's own proof and head in the public log; undefined or null without them. */
  publicLog?: unknown
}

export function checkAnchor(
  anchor: unknown,
  { head, last, keys, publicLog }: AnchoredDocument,
  trust: PinnedTrust,
): Finding {
  const org = toPrintable(isJsonObject(head) ? head['org_id'] : undefined)
  if (anchor === null || anchor === undefined) return absent(org)
  const organisation = verifyHead(head, trust)
  if (!organisation.valid || organisation.orgId === null) {
    return judged('anchor', org, unproven('It proves nothing of a log whose head is not valid.'))
  }
  const read = judgeAnchor(anchor, organisation, trust)
  if ('code' in read) return judged('anchor', org, read)
  const { size, tree, publicHead } = read
  const fault = judgeByList(publicHead, keys) ?? (isForked(tree, publicLog, trust) ? own('public_log_forked') : null)
  if (fault !== null) return judged('anchor', org, fault)
  const most = Math.max(size, organisation.treeSize)
  const subject = `${org}, up to ${size} of ${most} leaves, as of ${toPrintable(tree.timestamp)}`
  if (last === null || last < size) return passed('anchor', subject)
  const reason = `Leaf ${last} came after that and is not anchored yet.`
  return passed('anchor', subject, { code: NOT_ANCHORED_YET, reason })
}

/** Returns the highest leaf position in these proofs; null if they name none. */
export function lastLeafOf(proven: readonly unknown[]): number | null {
  const positions = proven.flatMap((one) => {
    const proof = isJsonObject(one) ? one['proof'] : null
    return (isJsonObject(proof) ? wholeNumberIn(proof, 'leaf_index') : null) ?? []
  })
  return positions.length === 0 ? null : Math.max(...positions)
}

const absent = (org: string): Finding =>
  passed('anchor', org, {
    code: NOT_ANCHORED,
    reason: 'It has no anchor. The public log has none of this log yet, or the anchor was removed.',
  })

type JudgedAnchor = { size: number; tree: SignedTree; publicHead: JsonObject }

const own = (code: keyof typeof ANCHOR_FAULTS): Fault => faultOf(ANCHOR_FAULTS, code)

function judgeAnchor(anchor: unknown, organisation: SignedTree, trust: PinnedTrust): JudgedAnchor | Fault {
  if (!hasExactMembers(anchor, ['document', 'public_log', 'consistency'])) return own('not_an_anchor')
  const { public_log: log, consistency } = anchor
  const document = readAnchor(anchor['document'])
  if (
    document === null ||
    !hasExactMembers(log, ['head', 'proof']) ||
    !hasExactMembers(consistency, CONSISTENCY_MEMBERS)
  ) {
    return own('not_an_anchor')
  }
  const { head, proof } = log
  if (!isJsonObject(head) || !isJsonObject(proof)) return own('not_an_anchor')
  const tree = judgeSignedHead(head, true, trust)
  if ('code' in tree) return tree
  const included = findInclusionFault(document, proof, tree)
  if (included !== null) return included
  const grown = findGrowthFault(document, consistency, organisation)
  if (grown !== null) return own(grown)
  return { size: document.tree_size, tree, publicHead: head }
}

function findInclusionFault(document: AnchorDocument, proof: JsonObject, tree: SignedTree): Fault | null {
  const proven = judgeProof(proof, true)
  if ('code' in proven) return proven
  const { leaf_hash: leaf, tree_size: size, root_hash: root } = proven
  const { attestation_id: id = document.anchor_id } = proof
  if (leaf !== bytesToHex(anchorLeaf(document)) || id !== document.anchor_id) return own('anchor_mismatch')
  if (!isHeadOfTree(tree, { size, root })) return own('head_of_another_tree')
  const [claimed, signed] = [parseRfc3339(document.timestamp), parseRfc3339(tree.timestamp)]
  return claimed === null || signed === null || claimed > signed ? own('anchor_after_head') : null
}

/** Checks the anchored tree and the head's tree: the smaller must be the beginning of the larger. */
function findGrowthFault(
  document: AnchorDocument,
  consistency: JsonObject,
  { treeSize, rootHash }: SignedTree,
): 'anchor_of_another_log' | 'fork' | null {
  const anchored: Tree = { size: document.tree_size, root: document.root_hash }
  const head: Tree = { size: treeSize, root: rootHash }
  const [before, after] = anchored.size <= head.size ? [anchored, head] : [head, anchored]
  const isProofOfBoth =
    consistency['old_size'] === before.size &&
    consistency['old_root'] === before.root &&
    consistency['new_size'] === after.size &&
    consistency['new_root'] === after.root
  if (!isProofOfBoth) return 'anchor_of_another_log'
  return verifyConsistency(consistency).valid ? null : 'fork'
}

/** Compares two public heads of one size. Heads of two sizes would need a proof between them, which no document has. */
function isForked({ treeSize, rootHash }: SignedTree, publicLog: unknown, trust: PinnedTrust): boolean {
  const other = isJsonObject(publicLog) ? verifyHead(publicLog['head'], trust) : null
  if (other === null || !other.valid || other.orgId !== null) return false
  return other.treeSize === treeSize && other.rootHash !== rootHash
}

/** Checks a head by the document's list, which can only take trust away. Another check reports a malformed list. */
function judgeByList(head: JsonObject, keys: unknown): Fault | null {
  const list = keys === undefined ? null : readKeyList({ keys })
  if (list === null || !list.ok) return null
  const tree = judgeSignedHead(head, true, { keys: [], list: list.keys })
  return 'code' in tree ? { code: tree.code, reason: `By the document’s own list of keys: ${tree.reason}` } : null
}
