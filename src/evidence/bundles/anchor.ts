// Makes and reads an anchor: the head of an organisation's log at one time, as a leaf of the public log. A later head of the
// organisation's log that does not continue the anchor shows a rewrite. The salt hides the size from anyone without the document.
import { bytesToHex, concatBytes, randomBytes } from '@noble/hashes/utils.js'
import { canonicalBytes, canonicalJson } from '../records/canonical-json.ts'
import { wholeNumberIn } from '../records/number-text.ts'
import { isJsonObject } from '../../platform/json.ts'
import { ANCHOR_TAG } from '../entry-tags.ts'
import { hashLeaf } from '../tree/merkle-hash.ts'
import type { ConsistencyProof } from '../tree/verify-proof.ts'

export const ANCHOR_FORMAT = 'anchor-1'

export type AnchorDocument = {
  readonly v: typeof ANCHOR_FORMAT
  /** The public log finds the leaf by this UUID of version 4. */
  readonly anchor_id: string
  /** Names the organisation's log: 64 hexadecimal digits, the same in all its anchors. */
  readonly log_id: string
  readonly tree_size: number
  readonly root_hash: string
  readonly timestamp: string
  /** 32 random bytes as hexadecimal digits. */
  readonly salt: string
}

/** An anchor, and the proof that a tree of the log continues the anchored tree. */
export type ProvenAnchor = { document: AnchorDocument; consistency: ConsistencyProof }

const SALT_BYTES = 32

type NewAnchor = { logId: string; size: number; root: Uint8Array; at: number }

export const newAnchor = ({ logId, size, root, at }: NewAnchor): AnchorDocument => ({
  v: ANCHOR_FORMAT,
  anchor_id: crypto.randomUUID(),
  log_id: logId,
  tree_size: size,
  root_hash: bytesToHex(root),
  timestamp: new Date(at).toISOString(),
  salt: bytesToHex(randomBytes(SALT_BYTES)),
})

/**
 * Returns the hash of the anchor's leaf. Its tag differs from a receipt's, so neither is ever taken for the other.
 * @see docs/records.md#anchors
 */
export const anchorLeaf = (document: AnchorDocument): Uint8Array =>
  hashLeaf(concatBytes(Uint8Array.of(ANCHOR_TAG), canonicalBytes(document)))

export const anchorText = (document: AnchorDocument): string => canonicalJson(document)

const FORMS: Readonly<Record<Exclude<keyof AnchorDocument, 'v' | 'tree_size'>, RegExp>> = {
  anchor_id: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  log_id: /^[0-9a-f]{64}$/,
  root_hash: /^[0-9a-f]{64}$/,
  timestamp: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  salt: /^[0-9a-f]{64}$/,
}

/** Returns null unless the value is an anchor with exactly its members. @see docs/records.md#anchors */
export function readAnchor(value: unknown): AnchorDocument | null {
  if (!isJsonObject(value) || value['v'] !== ANCHOR_FORMAT) return null
  const texts = new Map(Object.entries(FORMS).map(([name, form]) => [name, textIn(value[name], form)]))
  const text = (name: keyof typeof FORMS): string => texts.get(name) ?? ''
  const size = wholeNumberIn(value, 'tree_size') ?? 0
  const isWhole = [...texts.values()].every((found) => found !== null) && size > 0
  if (!isWhole || Object.keys(value).length !== texts.size + 2) return null
  return {
    v: ANCHOR_FORMAT,
    anchor_id: text('anchor_id'),
    log_id: text('log_id'),
    tree_size: size,
    root_hash: text('root_hash'),
    timestamp: text('timestamp'),
    salt: text('salt'),
  }
}

const textIn = (value: unknown, form: RegExp): string | null =>
  typeof value === 'string' && form.test(value) ? value : null
