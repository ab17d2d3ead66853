// Checks an export of audit entries, line by line for any length. At the end all leaves are compared with the signed
// head.
//
// SECURITY: the sender may have made any part of an export. No leaf covers `at` and `facts`: for these only the
// signature of the last line speaks.
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { canonicalBytes } from '../records/canonical-json.ts'
import { KEY_FAULTS, type KeyList } from '../records/key-list.ts'
import { areNumbersCanonical, wholeNumberIn } from '../records/number-text.ts'
import { READ_FAULTS, readJsonObject } from '../records/read-json.ts'
import { RECEIPT_TAG } from '../records/receipt-entry.ts'
import { RECORD_FAULTS } from '../records/record.ts'
import { secondsOf } from '../records/rfc3339.ts'
import type { SignedTree } from '../records/tree-head.ts'
import { findTimeFault, verifyRecord } from '../records/verify-record.ts'
import { isOfKind } from '../entry-tags.ts'
import { hashLeaf } from '../tree/merkle-hash.ts'
import { isTreeRange, JoinedSubtrees, rootOfRange, type TreeRange } from '../tree/range-proof.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { isSameBytes } from '../../platform/bytes.ts'
import { pinnedTrustOf, type CheckOptions } from './options.ts'
import { checkAnchor } from './check-anchor.ts'
import { judgeHead, judgeOwnKeys } from './check-head.ts'
import { judgeIssued, judgeKeyByList, type Fault } from './check-issued.ts'
import { demoNote, isMarkedAs, failed, passed, NOT_PROVEN, plain, type Finding } from './finding.ts'
import { ExportFrame, membersOf } from './export-frame.ts'

export const AUDIT_FAULTS = {
  unknown_schema: 'Its schema is not audit-1.',
  members: 'It has not the members that a line of an export has, or more.',
  range_malformed: 'first and end_index are no range of the signed tree.',
  not_an_entry: 'It is no line of an export: neither an entry nor one that is withheld.',
  leaf_missing: 'Leaves are missing before this one.',
  out_of_order: 'This leaf was there already, or is none of the range.',
  leaf_mismatch: 'Its entry is not what its leaf_hash is the hash of: the line was changed.',
  content_mismatch: 'Its content is not what its entry says: the line was changed.',
  entry_of_another_organisation: 'The record in it is of another organisation.',
  end_missing: 'It has no last line: it was cut off, or is not whole for another reason.',
  line_after_end: 'It has lines after the last one.',
  lines_wrong: 'Lines of it are wrong, as told above.',
  leaves_missing: 'It ends before the last leaf of its range.',
  count_mismatch: 'It has not as many entries as its last line says.',
  bytes_changed: 'Its bytes are not those that the SHA-256 in its last line is of: something in it was changed.',
  cursor_wrong: 'next_cursor is not where its range ends.',
  proof_malformed: 'range_proof is not as many hashes as the range takes.',
  root_mismatch: 'Its leaves and its proof do not lead to the signed root: a leaf was changed, or is of another log.',
  head_not_valid: 'It proves nothing without its head.',
  [NOT_PROVEN]: 'Records in it have no signature, as told above.',
} as const

const UNSIGNED = 'It has no signature, and the export’s own list of keys does not say that its key has ended.'

type AuditFault = keyof typeof AUDIT_FAULTS

const HEAD_MEMBERS = 'object,schema,export_id,org_id,created_at,start,end,first,end_index,tree_head,anchor,public_keys'
const ENTRY_MEMBERS = 'object,index,leaf_hash,kind,at,entry,content,facts'
const WITHHELD_MEMBERS = 'object,index,leaf_hash,withheld'
const END_MEMBERS = 'object,entries,withheld,sha256,range_proof,next_cursor,issued_at,public_key,signature'

/** True if a file with this first line is such an export. */
export function isAuditExport(line: Uint8Array): boolean {
  const read = readJsonObject(line)
  return read.readable && read.object['object'] === 'audit_export.head'
}

/** The content of the service's own entries begins here, after the tag and 16 random bytes. */
const CONTENT_AT = 1 + 16

/** `createdAt`: seconds since the epoch. */
type Head = { orgId: string; tree: SignedTree; range: TreeRange; list: KeyList; createdAt: number | null }

export class AuditExport {
  readonly #options: CheckOptions
  readonly #frame: ExportFrame
  readonly #leaves: JoinedSubtrees
  /** The findings about the export's first line, after it was read. */
  #findings: Finding[] | null = null
  /** Null if the head is not valid. */
  #head: Head | null = null
  #org = ''
  #next = 0
  #counts = { entries: 0, withheld: 0, unreadable: 0, unsigned: 0 }
  #faults = 0
  /** Records without a fault that lack their signature. */
  #unproven = 0

  constructor(options: CheckOptions) {
    this.#options = options
    this.#frame = new ExportFrame('audit_export.end', options.cryptography.beginSha256())
    this.#leaves = new JoinedSubtrees(options.cryptography.sha256)
  }

  /** Returns the faults of the next line. */
  take(line: Uint8Array): Finding[] {
    const read = this.#frame.take(line)
    if (read.part === 'closing') return []
    if (read.part === 'head') {
      this.#takeHead(read.object)
      return []
    }
    const finding =
      read.part === 'unreadable'
        ? failed('audit entry', '', read.fault, READ_FAULTS[read.fault])
        : this.#judgeLine(read.object)
    if (finding === null) return []
    if (finding.code === NOT_PROVEN) this.#unproven += 1
    else this.#faults += 1
    return [finding]
  }

  /** Returns the verdict on the whole export, after the last line. */
  end(): Finding[] {
    const fault = this.#judgeWhole()
    const subject = this.#describe()
    const whole = fault === null ? passed('export', subject) : failed('export', subject, fault.code, fault.reason)
    return [...(this.#findings ?? []), whole]
  }

  #takeHead(line: JsonObject): void {
    const { findings, head } = readHead(line, this.#options)
    this.#findings = findings
    this.#head = head
    this.#org = plain(line['org_id'])
    this.#next = head?.range.first ?? 0
  }

  #judgeLine(line: JsonObject): Finding | null {
    const index = wholeNumberIn(line, 'index')
    const subject = `leaf ${plain(line['index'])}`
    const leaf = readHash(line['leaf_hash'])
    const isWithheld = Object.hasOwn(line, 'withheld')
    const refuse = (code: AuditFault): Finding => failed('audit entry', subject, code, AUDIT_FAULTS[code])
    if (line['object'] !== 'audit_entry' || index === null || leaf === null) return refuse('not_an_entry')
    if (index < this.#next || index >= (this.#head?.range.end ?? Infinity)) return refuse('out_of_order')
    const isMissing = index > this.#next
    this.#next = index + 1
    // Gaps keep subtrees from joining, so a file with many gaps would fill the memory.
    if (!isMissing && this.#faults === 0) this.#leaves.add({ level: 0, index, hash: leaf })
    if (isWithheld) this.#countWithheld(line)
    else this.#counts.entries += 1
    if (isMissing) return refuse('leaf_missing')
    if (isWithheld) {
      const isKnown = line['withheld'] === 'retention' || line['withheld'] === 'unreadable'
      return isKnown && membersOf(line) === WITHHELD_MEMBERS ? null : refuse('members')
    }
    return this.#judgeEntry(line, leaf, subject)
  }

  #judgeEntry(line: JsonObject, leaf: Uint8Array, subject: string): Finding | null {
    const refuse = (code: AuditFault): Finding => failed('audit entry', subject, code, AUDIT_FAULTS[code])
    const entry = readBase64(line['entry'])
    const { content, kind, facts } = line
    if (entry === null || !isJsonObject(content) || typeof kind !== 'string') return refuse('not_an_entry')
    if (facts !== null && !isJsonObject(facts)) return refuse('not_an_entry')
    if (!isSameBytes(hashLeaf(entry, this.#options.cryptography.sha256), leaf)) return refuse('leaf_mismatch')
    const isReceipt = entry[0] === RECEIPT_TAG
    if (membersOf(line) !== `${ENTRY_MEMBERS}${isReceipt ? ',signature' : ''}`) return refuse('members')
    if (!isContentOf(entry, content, isReceipt) || !isOfKind(entry, kind)) return refuse('content_mismatch')
    return isReceipt ? this.#judgeReceipt(content, line['signature'], subject) : null
  }

  #judgeReceipt(content: JsonObject, signature: unknown, subject: string): Finding | null {
    if (this.#head !== null && content['org_id'] !== this.#head.orgId) {
      const code = 'entry_of_another_organisation'
      return failed('audit entry', subject, code, AUDIT_FAULTS[code])
    }
    const fault = signature === null ? this.#judgeUnsigned(content) : this.#judgeSigned({ ...content, signature })
    return fault && failed('audit entry', subject, fault.code, fault.reason)
  }

  #judgeSigned(record: JsonObject): Fault | null {
    // Counts as included: if it is not, the verdict on the whole export is invalid.
    const judging = { isIncluded: true, verify: this.#options.cryptography.verifyEd25519 }
    const verdict = verifyRecord(record, pinnedTrustOf(this.#options), judging)
    if (!verdict.valid) return { code: verdict.fault, reason: { ...RECORD_FAULTS, ...KEY_FAULTS }[verdict.fault] }
    return this.#head && judgeKeyByList(record, this.#head.list, { isIncluded: true })
  }

  /** A retired key's seed may be gone, so the export has no signature. The signed tree still contains its record. */
  #judgeUnsigned(record: JsonObject): Fault | null {
    this.#counts.unsigned += 1
    if (this.#head === null) return null
    const { list, createdAt } = this.#head
    const { public_key: publicKey } = record
    const fault = findTimeFault(record, pinnedTrustOf(this.#options), { isIncluded: true })
    if (fault !== null) return { code: fault, reason: KEY_FAULTS[fault] }
    const key = typeof publicKey === 'string' ? list.get(publicKey) : undefined
    const isEnded = (key?.validUntil ?? Infinity) <= (createdAt ?? -Infinity)
    return isEnded ? judgeKeyByList(record, list, { isIncluded: true }) : { code: NOT_PROVEN, reason: UNSIGNED }
  }

  #countWithheld(line: JsonObject): void {
    this.#counts.withheld += 1
    if (line['withheld'] === 'unreadable') this.#counts.unreadable += 1
  }

  #judgeWhole(): Fault | null {
    const code = this.#findFault()
    if (code !== null) return { code, reason: AUDIT_FAULTS[code] }
    const signed = judgeIssued(this.#frame.end ?? {}, pinnedTrustOf(this.#options), this.#head?.list ?? null)
    if (signed !== null || this.#unproven === 0) return signed
    return { code: NOT_PROVEN, reason: AUDIT_FAULTS[NOT_PROVEN] }
  }

  #findFault(): AuditFault | null {
    const { end, isContinued } = this.#frame
    if (end === null) return 'end_missing'
    if (isContinued) return 'line_after_end'
    if (membersOf(end) !== END_MEMBERS) return 'members'
    if (this.#faults > 0) return 'lines_wrong'
    if (this.#head === null) return 'head_not_valid'
    const { range, tree } = this.#head
    if (this.#next < range.end) return 'leaves_missing'
    const { entries, withheld } = this.#counts
    if (wholeNumberIn(end, 'entries') !== entries || wholeNumberIn(end, 'withheld') !== withheld)
      return 'count_mismatch'
    const { next_cursor: cursor } = end
    if (cursor !== null && cursor !== String(range.end)) return 'cursor_wrong'
    const proof = readProof(end['range_proof'])
    const root = proof && rootOfRange(range, this.#leaves, proof)
    if (root === null) return 'proof_malformed'
    if (bytesToHex(root) !== tree.rootHash) return 'root_mismatch'
    return this.#frame.sha256() === end['sha256'] ? null : 'bytes_changed'
  }

  #describe(): string {
    const { entries, withheld, unreadable, unsigned } = this.#counts
    const { end } = this.#frame
    const range = this.#head?.range
    const leaves = range === undefined ? '' : `, leaves from ${range.first} to before ${range.end} of ${range.size}`
    const more = [
      `${entries} entries${demoNote(this.#head?.orgId)}`,
      `${withheld} withheld`,
      ...(unreadable > 0 ? [`${unreadable} of them unreadable`] : []),
      ...(unsigned > 0 ? [`${unsigned} records without a signature`] : []),
      ...(typeof end?.['next_cursor'] === 'string' ? [`goes on at ${plain(end['next_cursor'])}`] : []),
    ]
    return `${this.#org}${leaves}: ${more.join(', ')}`
  }
}

function readHead(head: JsonObject, options: CheckOptions): { findings: Finding[]; head: Head | null } {
  const refuse = (code: AuditFault) => ({
    findings: [failed('export', plain(head['org_id']), code, AUDIT_FAULTS[code])],
    head: null,
  })
  const { org_id: orgId, tree_head: treeHead, public_keys: keys, anchor } = head
  if (head['schema'] !== 'audit-1') return refuse('unknown_schema')
  const { demo: _, ...unmarked } = head
  if (membersOf(unmarked) !== HEAD_MEMBERS || !isMarkedAs(head, orgId)) return refuse('members')
  if (typeof orgId !== 'string' || !isJsonObject(treeHead)) return refuse('members')
  const judged = judgeHead(treeHead, options, (tree) => (tree.orgId === orgId ? null : 'head_of_another_log'))
  const [first, end] = [wholeNumberIn(head, 'first'), wholeNumberIn(head, 'end_index')]
  const last = end === null ? null : end - 1
  const anchored = checkAnchor(anchor, { head: treeHead, last, keys }, pinnedTrustOf(options))
  const own = judgeOwnKeys(treeHead, keys)
  const findings = [judged.finding, own.finding, anchored]
  const { tree } = judged
  if (tree === null) return { findings, head: null }
  const range = { first: first ?? -1, end: end ?? -1, size: tree.treeSize }
  if (!isTreeRange(range)) return refuse('range_malformed')
  const createdAt = secondsOf(head['created_at'])
  return { findings, head: own.list === null ? null : { orgId, tree, range, list: own.list, createdAt } }
}

function isContentOf(entry: Uint8Array, content: JsonObject, isReceipt: boolean): boolean {
  try {
    return (
      areNumbersCanonical(content) && isSameBytes(canonicalBytes(content), entry.subarray(isReceipt ? 1 : CONTENT_AT))
    )
  } catch {
    return false
  }
}

const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

const readHash = (value: unknown): Uint8Array | null => (isHash(value) ? hexToBytes(value) : null)

const readProof = (value: unknown): Uint8Array[] | null =>
  Array.isArray(value) && value.every(isHash) ? value.map((hash) => hexToBytes(hash)) : null

/** Null for any spelling other than the one that encodes the bytes. */
function readBase64(value: unknown): Uint8Array | null {
  if (typeof value !== 'string' || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return null
  const end = value.slice(-4)
  if (btoa(atob(end)) !== end) return null
  const binary = atob(value)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
