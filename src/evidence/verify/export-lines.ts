// Shared by the verifiers of audit and medical exports: the fault texts, and the interface through which check-export.ts checks
// their lines.
import { FACTS_NOT_COVERED } from '../records/facts-commitment.ts'
import type { KeyList } from '../records/key-list.ts'
import type { SignedTree } from '../records/tree-head.ts'
import type { JsonObject } from '../../platform/json.ts'
import { NOT_PROVEN, type Finding } from './verification-finding.ts'

/** The schema of audit exports that are written now. Its number changes with the members or their meaning. */
export const AUDIT_SCHEMA = 'audit-4'

/** The schema of exports of the calls that a filter lists. */
export const SELECTION_SCHEMA = 'selection-1'

export const EXPORT_FAULTS = {
  unknown_schema: 'Its schema is not the one of such an export.',
  members: 'Its members are not exactly those of a line of an export.',
  range_malformed: 'first and end_index are not a range of the signed tree.',
  not_an_entry: 'It is not a line of an export: neither an entry nor a withheld one.',
  leaf_missing: 'Leaves are missing before this one.',
  out_of_order: 'This leaf appeared before, or is outside the range.',
  leaf_mismatch: 'Its entry does not match its leaf_hash: the line was changed.',
  content_mismatch: 'Its content does not match its entry: the line was changed.',
  entry_of_another_organisation: 'The record in it is of another organisation.',
  dated_ahead: 'It says that it was made after it was signed, or in the future.',
  end_missing: 'It has no last line: it was cut off, or is not whole for another reason.',
  line_after_end: 'It has lines after the last one.',
  lines_wrong: 'Some of its lines are wrong: each is named here.',
  leaves_missing: 'It ends before the last leaf of its range.',
  count_mismatch: 'Its number of entries is not the number in its last line.',
  bytes_changed: 'Its bytes do not match the SHA-256 in its last line: something was changed.',
  cursor_wrong: 'next_cursor is not where its range ends.',
  proof_malformed: 'range_proof is not as many hashes as the range takes.',
  root_mismatch: 'Its leaves and its proof do not lead to the signed root: a leaf was changed, or is of another log.',
  entries_unreadable: 'Some entries are missing, because they could not be read.',
  head_not_valid: 'It proves nothing without its head.',
  hour_counts_differ: 'It counts other decisions than the file has, or does not begin after the counts before it.',
  path_wrong: 'Its audit_path does not lead to the signed root.',
  filter_malformed: 'Its filter or its days are not in their form, or this check does not know a member of the filter.',
  filter_mismatch: 'This call does not match the filter of the file.',
  of_another_call: 'It does not belong to the call above it.',
  [NOT_PROVEN]: 'Some of its lines are not proven: each is named here.',
} as const

export type ExportFault = keyof typeof EXPORT_FAULTS

export const EXPORT_NOTES = {
  facts_not_covered: FACTS_NOT_COVERED,
  other_kind:
    'This check does not know their kind, and checked only that their leaves are in the log. Use a newer one.',
  selection_only:
    'The calls are in the log. The file cannot show that no other call matches, or that no step of an approval is missing.',
} as const

/** A head that is valid by the caller's keys and by its own list. */
export type ExportHead = { line: JsonObject; orgId: string; treeHead: JsonObject; tree: SignedTree; list: KeyList }

/** A check of a whole export: the fault that it finds, and a function that returns whether the export passes. */
export type WholeCheck = readonly [fault: ExportFault, passes: () => boolean]

export type ExportLines = {
  /** A fault of the head that only this kind of export checks; null for none. */
  readonly headFault: ExportFault | null
  take(line: JsonObject): Finding[]
  /** The counts that the last line must have, by their members. */
  readonly counts: Readonly<Record<string, number>>
  /** The highest leaf position in the lines; null for none. */
  readonly last: number | null
  /** Returns the findings on earlier lines that take the whole file, after the last line. */
  finish?(end: JsonObject | null): Finding[]
  /** Returns the checks of the lines together with the last line. */
  wholeChecks?(end: JsonObject): readonly WholeCheck[]
  /** Returns the subject of the verdict on the whole. */
  describe(head: JsonObject | null, end: JsonObject | null): string
}
