// The first byte of an entry, which tells what kind it is of. Pure.
import { RECEIPT_TAG } from './records/receipt-entry.ts'

/** First byte of an anchor, which is a leaf of the public log and an entry of none. */
export const ANCHOR_TAG = 0xc0

/** Kinds of our own are from 0x80 to 0xbf and never enter the public log. */
export const ENTRY_TAGS = {
  settlement: 0x80,
  referral_decision: 0x81,
  operator_act: 0x82,
  member_act: 0x83,
  hour_counts: 0x84,
  approval: 0x85,
  usage_closed: 0x86,
} as const

export type EntryKind = keyof typeof ENTRY_TAGS

/** What the details call a receipt, whose entry ATTESTATION-v1 defines. */
export const RECEIPT_KIND = 'chat_decision'

export function isOfKind(entry: Uint8Array, kind: string): boolean {
  const tag = entry[0]
  if (kind === RECEIPT_KIND) return tag === RECEIPT_TAG
  return Object.entries(ENTRY_TAGS).some(([name, own]) => name === kind && own === tag)
}
