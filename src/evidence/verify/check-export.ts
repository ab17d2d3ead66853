// Checks an export of audit entries, of listed calls or of medical receipts, line by line, so it may have any length. At the end it checks the
// whole against the signed head.
//
// SECURITY: the sender may have made any part of an export. The last line covers all bytes before it, and is signed.
import type { KeyList } from '../records/key-list.ts'
import { wholeNumberIn } from '../records/number-text.ts'
import { READ_FAULTS, readJsonObject } from '../records/read-json-object.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { memberNames } from '../records/member-names.ts'
import type { Hashing } from '../../platform/sha256.ts'
import { AuditLinesCheck } from './check-audit-lines.ts'
import { checkAnchor } from './check-anchor.ts'
import { judgeIssuedDocument, judgeHeadByOwnKeys } from './check-issued-document.ts'
import { judgeHead } from './check-proof.ts'
import { exportNameOf, type ExportName } from './document-kind.ts'
import {
  AUDIT_SCHEMA,
  EXPORT_FAULTS,
  SELECTION_SCHEMA,
  type ExportFault,
  type ExportHead,
  type ExportLines,
  type WholeCheck,
} from './export-lines.ts'
import { toPrintable } from './printable.ts'
import { faultOf, hasFittingDemoMark, judged, NOT_PROVEN, type Fault, type Finding } from './verification-finding.ts'
import { SelectionLinesCheck } from './check-selection-lines.ts'
import { MedicalLines } from './check-medical-lines.ts'
import { MisuseError, pinnedTrustOf, type CheckOptions } from './check-options.ts'

type ExportForm = {
  readonly name: ExportName
  readonly kind: Finding['kind']
  /** The kind of the verdict on the whole. */
  readonly whole: 'export' | 'selection'
  readonly schemas: readonly unknown[]
  readonly headMembers: string
  readonly endMembers: string
  readonly linesUnder: (head: ExportHead | null, options: CheckOptions) => ExportLines
}

const SIGNED = 'issued_at,public_key,signature'

const FORMS: readonly ExportForm[] = [
  {
    name: 'audit_export',
    kind: 'audit entry',
    whole: 'export',
    schemas: ['audit-1', 'audit-2', 'audit-3', AUDIT_SCHEMA],
    headMembers: 'object,schema,export_id,org_id,created_at,start,end,first,end_index,tree_head,anchor,public_keys',
    endMembers: `object,entries,withheld,sha256,range_proof,next_cursor,${SIGNED}`,
    linesUnder: (head, options) => new AuditLinesCheck(head, options),
  },
  {
    name: 'selection_export',
    kind: 'audit entry',
    whole: 'selection',
    schemas: [SELECTION_SCHEMA],
    headMembers: 'object,schema,export_id,org_id,created_at,start,end,filter,tree_head,anchor,public_keys',
    endMembers: `object,calls,entries,withheld,unreadable,sha256,next_cursor,${SIGNED}`,
    linesUnder: (head, options) => new SelectionLinesCheck(head, options),
  },
  {
    name: 'medical_export',
    kind: 'document',
    whole: 'export',
    schemas: ['medical-1'],
    headMembers: 'object,schema,export_id,org_id,start,end,medical_use_cases,tree_head,anchor,public_keys',
    endMembers: `object,receipts,unreadable_entries,sha256,${SIGNED}`,
    linesUnder: (head, options) => new MedicalLines(head, options),
  },
]

/** Returns the check of an export with this first line; null if the file is no export. */
export function openExport(line: Uint8Array, options: CheckOptions): ExportCheck | null {
  const own = exportNameOf(line)
  const form = FORMS.find(({ name }) => name === own)
  if (form === undefined) return null
  if (options.freshness !== null) throw new MisuseError('age_of_no_head')
  if (options.kind !== null || options.profile !== null) throw new MisuseError('export_with_more')
  return new ExportCheck(form, options)
}

/** Reads lines one after the other and judges them as a whole. */
export class ExportCheck {
  readonly #form: ExportForm
  readonly #options: CheckOptions
  readonly #hash: Hashing
  /** The first line, after it was read, and the findings about it. */
  #head: JsonObject | null = null
  #headFindings: Finding[] = []
  /** Null if the first line has not the members of a head. */
  #treeHead: JsonObject | null = null
  /** The export's own keys; null if its head is not valid. */
  #list: KeyList | null = null
  #lines: ExportLines
  #end: JsonObject | null = null
  /** True if lines came after the last line. */
  #isContinued = false
  #faults = 0
  /** Lines without a fault that lack a part. */
  #unproven = 0

  constructor(form: ExportForm, options: CheckOptions) {
    this.#form = form
    this.#options = options
    this.#hash = options.cryptography.beginSha256()
    this.#lines = form.linesUnder(null, options)
  }

  /** Returns the findings on the next line; those on the head come at the end. */
  take(line: Uint8Array): Finding[] {
    this.#isContinued ||= this.#end !== null
    if (this.#isContinued) return []
    const read = readJsonObject(line)
    if (read.readable && read.object['object'] === `${this.#form.name}.end`) {
      this.#end = read.object
      return []
    }
    this.#hash.update(line)
    this.#hash.update('\n')
    if (read.readable && this.#head === null) {
      this.#takeHead(read.object)
      return []
    }
    const findings = read.readable
      ? this.#lines.take(read.object)
      : [judged(this.#form.kind, '', faultOf(READ_FAULTS, read.fault))]
    this.#count(findings)
    return findings
  }

  #count(findings: readonly Finding[]): void {
    const failing = findings.filter(({ valid }) => !valid)
    if (failing.some(({ code }) => code !== NOT_PROVEN)) this.#faults += 1
    else if (failing.length > 0) this.#unproven += 1
  }

  /** Returns the verdict on the whole export, after the last line. */
  end(): Finding[] {
    const subject = this.#lines.describe(this.#head, this.#end)
    const late = this.#lines.finish?.(this.#end) ?? []
    this.#count(late)
    return [
      ...this.#headFindings,
      ...this.#checkAnchor(),
      ...late,
      judged(this.#form.whole, subject, this.#judgeWhole()),
    ]
  }

  #takeHead(line: JsonObject): void {
    this.#head = line
    const { org_id: orgId, tree_head: treeHead, public_keys: keys } = line
    const { demo: _, ...unmarked } = line
    const refuse = (code: ExportFault): Finding => judged('export', toPrintable(orgId), faultOf(EXPORT_FAULTS, code))
    const isWhole = memberNames(unmarked) === this.#form.headMembers && hasFittingDemoMark(line, orgId)
    if (!this.#form.schemas.includes(line['schema'])) this.#headFindings = [refuse('unknown_schema')]
    else if (!isWhole || typeof orgId !== 'string' || !isJsonObject(treeHead)) this.#headFindings = [refuse('members')]
    else {
      const { finding, tree } = judgeHead(treeHead, this.#options, (one) =>
        one.orgId === orgId ? null : 'head_of_another_log',
      )
      const own = judgeHeadByOwnKeys(treeHead, keys)
      const head = tree === null || own.list === null ? null : { line, orgId, treeHead, tree, list: own.list }
      this.#lines = this.#form.linesUnder(head, this.#options)
      const { headFault } = this.#lines
      this.#headFindings = [finding, own.finding, ...(headFault === null ? [] : [refuse(headFault)])]
      this.#treeHead = treeHead
      this.#list = headFault === null ? (head?.list ?? null) : null
    }
  }

  /** Runs at the end, when the last leaf is known. */
  #checkAnchor(): Finding[] {
    if (this.#treeHead === null) return []
    const { public_keys: keys, anchor } = this.#head ?? {}
    const of = { head: this.#treeHead, last: this.#lines.last, keys }
    return [checkAnchor(anchor, of, pinnedTrustOf(this.#options))]
  }

  #judgeWhole(): Fault | null {
    const code = this.#wholeChecks(this.#end ?? {}).find(([, passes]) => !passes())?.[0] ?? null
    if (code !== null) return faultOf(EXPORT_FAULTS, code)
    const signed = judgeIssuedDocument(this.#end ?? {}, pinnedTrustOf(this.#options), this.#list)
    return signed ?? (this.#unproven === 0 ? null : faultOf(EXPORT_FAULTS, NOT_PROVEN))
  }

  /** In the order of checking: the first that does not pass is the fault. */
  #wholeChecks(end: JsonObject): readonly WholeCheck[] {
    const { counts } = this.#lines
    return [
      ['end_missing', () => this.#end !== null],
      ['line_after_end', () => !this.#isContinued],
      ['members', () => memberNames(end) === this.#form.endMembers],
      ['lines_wrong', () => this.#faults === 0],
      ['head_not_valid', () => this.#list !== null],
      ...(this.#lines.wholeChecks?.(end) ?? []),
      ['count_mismatch', () => Object.entries(counts).every(([name, count]) => wholeNumberIn(end, name) === count)],
      ['bytes_changed', () => this.#hash.digestHex() === end['sha256']],
      // Last, because it is no sign of a change.
      ['entries_unreadable', () => !('unreadable_entries' in end) || wholeNumberIn(end, 'unreadable_entries') === 0],
    ]
  }
}
