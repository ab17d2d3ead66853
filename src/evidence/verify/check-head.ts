// Checks a signed head, and that heads match the trees of a proof.
import { KEY_LIST_FAULTS, KEY_FAULTS, readKeyList, type KeyList } from '../records/key-list.ts'
import type { JsonObject } from '../../platform/json.ts'
import { HEAD_FAULTS, verifyHead, type SignedTree } from '../records/tree-head.ts'
import { isOfTree, LOGGED_FAULTS, type LoggedFault, type Tree } from '../bundles/logged-record.ts'
import { pinnedTrustOf, type CheckOptions } from './options.ts'
import { byOwnList, type Fault } from './check-issued.ts'
import { detectKind } from './document-kind.ts'
import { failed, passed, plain, type Finding } from './finding.ts'
import { judgeHeadAge } from './freshness.ts'

export function checkHead(head: JsonObject, options: CheckOptions): Finding[] {
  const { finding, tree } = judgeHead(head, options, () => null)
  return [finding, ...judgeHeadAges([tree], options)]
}

/** Only valid heads have an age. */
export const judgeHeadAges = (trees: readonly (SignedTree | null)[], { freshness }: CheckOptions): Finding[] =>
  freshness === null ? [] : trees.flatMap((tree) => (tree === null ? [] : [judgeHeadAge(tree, freshness)]))

export type JudgedHead = { finding: Finding; tree: SignedTree | null }

/** @param findFault finds a fault in the tree of a correctly signed head. The returned tree is null after any fault. */
export function judgeHead(
  head: JsonObject,
  options: CheckOptions,
  findFault: (tree: SignedTree) => LoggedFault | null,
): JudgedHead {
  const log = head['log'] === 'public' ? 'public log' : plain(head['org_id'])
  const subject = `${log}, ${plain(head['tree_size'])} leaves`
  const refuse = (code: string, reason: string): JudgedHead => ({
    finding: failed('head', subject, code, reason),
    tree: null,
  })
  if ('mixed' in detectKind(head, 'head')) return refuse('mixed_members', 'It has members of another kind of document.')
  const verdict = verifyHead(head, pinnedTrustOf(options))
  if (!verdict.valid) return refuse(verdict.fault, { ...HEAD_FAULTS, ...KEY_FAULTS }[verdict.fault])
  const fault = findFault(verdict)
  if (fault !== null) return refuse(fault, LOGGED_FAULTS[fault])
  return { finding: passed('head', subject, { key_source: verdict.keySource }), tree: verdict }
}

/** `list`: null if it is no list, or the head is not valid by it. */
export type JudgedKeys = { finding: Finding; list: KeyList | null }

/**
 * Checks the head by the export's own list of keys too. The list can only take trust away: the service may have revoked
 * a pinned key.
 */
export function judgeOwnKeys(treeHead: JsonObject, keys: unknown): JudgedKeys {
  const list = readKeyList({ keys })
  if (!list.ok) return refuseKeys({ code: list.fault, reason: KEY_LIST_FAULTS[list.fault] })
  const verdict = verifyHead(treeHead, { keys: [], kept: list.keys })
  if (verdict.valid) return { finding: passed('keys', 'the export’s own list'), list: list.keys }
  return refuseKeys(byOwnList({ code: verdict.fault, reason: { ...HEAD_FAULTS, ...KEY_FAULTS }[verdict.fault] }))
}

const refuseKeys = ({ code, reason }: Fault): JudgedKeys => ({
  finding: failed('keys', 'the export’s own list', code, reason),
  list: null,
})

/** Checks that a signed head has one of a proof's trees, and is of the log that the proof names. */
export function findTreeFault(proof: JsonObject, trees: readonly Tree[], head: SignedTree): LoggedFault | null {
  const { org_id: orgId, log } = proof
  const isOtherLog =
    (orgId !== undefined && orgId !== head.orgId) || (log !== undefined && (log !== 'public' || head.orgId !== null))
  if (isOtherLog) return 'head_of_another_log'
  return trees.some((tree) => isOfTree(head, tree)) ? null : 'head_of_another_tree'
}
