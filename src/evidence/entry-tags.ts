// The kinds of log entries, each with the first byte of its entries.
import { RECEIPT_TAG } from './records/receipt-entry.ts'

/** First byte of an anchor. Anchors are leaves of the public log only. No organisation's log has one as an entry. */
export const ANCHOR_TAG = 0xc0

/** The service's own kinds use 0x80 to 0xbf. They never enter the public log. */
export const ENTRY_TAGS = {
  settlement: 0x80,
  referral_decision: 0x81,
  operator_act: 0x82,
  member_act: 0x83,
  hour_counts: 0x84,
  approval: 0x85,
  usage_closed: 0x86,
  coverage: 0x87,
  referral_outcome: 0x88,
  concordance_closed: 0x89,
} as const

export type EntryKind = keyof typeof ENTRY_TAGS

/** The name for receipts where kinds are listed. ATTESTATION-v1 defines a receipt's entry. */
export const RECEIPT_KIND = 'chat_decision'

/** The random bytes between the tag of an entry of the service's own kinds and its JSON. */
export const ENTRY_SALT_BYTES = 16

const KINDS: ReadonlyMap<number | undefined, string> = new Map<number, string>([
  [RECEIPT_TAG, RECEIPT_KIND],
  ...Object.entries(ENTRY_TAGS).map(([name, tag]): [number, string] => [tag, name]),
])

export const isEntryOfKind = ([tag]: Uint8Array, kind: string): boolean => KINDS.get(tag) === kind

/** True for an entry of the service's own whose kind is not in the table: a newer version may have written it. */
export const isOfOtherKind = ([tag = 0]: Uint8Array, kind: string): boolean =>
  tag >= 0x80 && tag <= 0xbf && !KINDS.has(tag) && ![...KINDS.values()].includes(kind)
