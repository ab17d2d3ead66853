// Tells what a document is by its members and checks it, together with what was given to check it against.
import { bytesToHex } from '@noble/hashes/utils.js'
import { isJsonObject, type JsonObject } from '../../src/attestation/read-json.ts'
import { receiptEntry } from '../../src/attestation/receipt-entry.ts'
import { RECORD_FAULTS } from '../../src/attestation/record-fault.ts'
import { requestHash } from '../../src/attestation/request-hash.ts'
import { HEAD_FAULTS, verifyHead } from '../../src/attestation/tree-head.ts'
import { verifyRecord, type Trust } from '../../src/attestation/verify-record.ts'
import { hashLeaf } from '../../src/ledger/merkle-hash.ts'
import { PROOF_FAULTS, verifyConsistency, verifyInclusion } from '../../src/ledger/proof.ts'
import { failed, found, plain, type Finding } from './finding.ts'

export type Against = {
  /** Null where neither a key was given nor integrity alone was asked for. */
  trust: Trust | null
  /** The body of the request that a record is about. */
  request: JsonObject | null
  /** An inclusion proof of a record. */
  proof: JsonObject | null
  /** Signed heads of the trees that a proof speaks of. */
  heads: readonly JsonObject[]
}

export class NoTrustError extends Error {}

type Tree = { size: number; root: string }

export function checkDocument(document: JsonObject, against: Against): Finding[] {
  if (Object.hasOwn(document, 'audit_path')) return withHeads(checkInclusion(document), against)
  if (Object.hasOwn(document, 'consistency_path')) return withHeads(checkConsistency(document), against)
  if (['tree_size', 'root_hash', 'signature'].every((name) => Object.hasOwn(document, name))) {
    return [checkHead(document, [], against)]
  }
  return checkRecord(recordIn(document), against)
}

/** An answer of the gateway has its record in `aqta.attestation`, an entry of an export in `attestation`. */
function recordIn(document: JsonObject): JsonObject {
  const { aqta } = document
  const holder = isJsonObject(aqta) ? aqta : document
  const { attestation } = holder
  return isJsonObject(attestation) ? attestation : document
}

function checkRecord(record: JsonObject, against: Against): Finding[] {
  const verdict = verifyRecord(record, trustOf(against))
  const subject = plain(record['attestation_id'])
  if (!verdict.valid) return [failed('record', subject, verdict.fault, RECORD_FAULTS[verdict.fault])]
  const described = ['outcome', 'model', 'timestamp'].map((name) => plain(record[name])).join('  ')
  const findings = [found('record', `${subject}  ${described}`, { key_source: verdict.keySource })]
  if (against.request !== null) findings.push(checkRequest(record, against.request))
  if (against.proof !== null) {
    const leaf = bytesToHex(hashLeaf(receiptEntry(record)))
    findings.push(...withHeads(checkInclusion(against.proof, leaf), against))
  }
  return findings
}

function checkRequest(record: JsonObject, request: JsonObject): Finding {
  const subject = plain(record['request_hash'])
  try {
    if (requestHash(request) === record['request_hash']) return found('request', subject)
  } catch {
    // No canonical JSON, so no record can be about it.
  }
  return failed('request', subject, 'request_mismatch', 'The record is about another request.')
}

type CheckedProof = { finding: Finding; trees: readonly Tree[] }

function checkInclusion(proof: JsonObject, leaf?: string): CheckedProof {
  const subject = `leaf ${plain(proof['leaf_index'])} of ${plain(proof['tree_size'])}`
  const verdict = verifyInclusion(proof)
  if (!verdict.valid) {
    return { finding: failed('inclusion', subject, verdict.fault, PROOF_FAULTS[verdict.fault]), trees: [] }
  }
  const { tree_size: size, root_hash: root, leaf_hash: proven } = verdict.proof
  if (leaf !== undefined && leaf !== proven) {
    const finding = failed('inclusion', subject, 'leaf_mismatch', 'The proof is about another record.')
    return { finding, trees: [] }
  }
  return { finding: found('inclusion', subject), trees: [{ size, root }] }
}

function checkConsistency(proof: JsonObject): CheckedProof {
  const subject = `from ${plain(proof['old_size'])} to ${plain(proof['new_size'])} leaves`
  const verdict = verifyConsistency(proof)
  if (!verdict.valid) {
    return { finding: failed('consistency', subject, verdict.fault, PROOF_FAULTS[verdict.fault]), trees: [] }
  }
  const { old_size, old_root, new_size, new_root } = verdict.proof
  return {
    finding: found('consistency', subject),
    trees: [
      { size: old_size, root: old_root },
      { size: new_size, root: new_root },
    ],
  }
}

const withHeads = ({ finding, trees }: CheckedProof, against: Against): Finding[] => [
  finding,
  ...(finding.valid ? against.heads.map((head) => checkHead(head, trees, against)) : []),
]

/** `trees`: those one of which the head must be of; none when the head is checked by itself. */
function checkHead(head: JsonObject, trees: readonly Tree[], against: Against): Finding {
  const verdict = verifyHead(head, trustOf(against))
  const log = head['log'] === 'public' ? 'public log' : plain(head['org_id'])
  const subject = `${log}, ${plain(head['tree_size'])} leaves`
  if (!verdict.valid) return failed('head', subject, verdict.fault, HEAD_FAULTS[verdict.fault])
  const isOfTree = trees.some(({ size, root }) => size === verdict.treeSize && root === verdict.rootHash)
  if (trees.length > 0 && !isOfTree) {
    return failed('head', subject, 'head_of_another_tree', 'The head has another size or root than the proof.')
  }
  return found('head', subject, { key_source: verdict.keySource })
}

function trustOf({ trust }: Against): Trust {
  if (trust === null) throw new NoTrustError()
  return trust
}
