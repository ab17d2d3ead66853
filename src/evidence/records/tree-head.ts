// Signs and verifies heads of a log: the number of leaves and the root. An organisation's log and the public log sign different
// texts. So a head of one never passes for a head of the other.
import type { Infer } from '../../platform/once.ts'
import { isHash } from '../tree/verify-proof.ts'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { encodeBase64url } from './base64.ts'
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES, verifyEd25519, keyIdOf } from './ed25519.ts'
import { findKeyFault, KEY_FAULTS, type KeyFault } from './key-list.ts'
import { wholeNumberIn } from './number-text.ts'
import type { PublicTreeHeadSchema, TreeHead } from '../bundles/log-proofs.schema.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { parseRfc3339 } from './rfc3339.ts'
import type { SigningKey } from './signing-key.ts'
import { decodeExactly, listedKey, trustedKeys, type KeySource, type Trust } from './verify-record.ts'

export type OrganisationHead = Omit<TreeHead, 'timestamp'>

export type PublicHead = Infer<typeof PublicTreeHeadSchema>

type SignedBy = Pick<PublicHead, 'signature' | 'public_key' | 'key_id' | 'algorithm'>

export const HEAD_FAULTS = {
  ...KEY_FAULTS,
  not_an_object: 'It is not a JSON object.',
  public_head_with_organisation: 'A head of the public log names an organisation.',
  organisation_missing: 'It names neither the public log nor an organisation.',
  tree_size_malformed: 'tree_size is not a whole number from 0 to 2^53 - 1.',
  timestamp_missing: 'A head of the public log has no timestamp.',
  root_hash_malformed: 'root_hash is not 64 lower-case hexadecimal digits.',
  not_well_formed: 'It contains half a surrogate pair.',
  no_trusted_key: 'No trusted key was given, and checking without one was not asked for.',
  signature_malformed: 'signature is not base64url, without padding, of 64 bytes.',
  public_key_malformed: 'The key is not base64url, without padding, of 32 bytes.',
  signature_mismatch: 'The signature is not one of a trusted key over this head.',
} as const

export type HeadFault = keyof typeof HEAD_FAULTS

/** The content of a verified head. Everything here except `keySource` is signed. */
export type SignedTree = {
  /** The organisation that owns the log; null for the public log. */
  readonly orgId: string | null
  readonly treeSize: number
  readonly rootHash: string
  /** Null for heads of organisations' logs, which sign no time. */
  readonly timestamp: string | null
}

export type HeadVerdict =
  | ({ readonly valid: true; readonly keySource: KeySource; readonly publicKey: string } & SignedTree)
  | { readonly valid: false; readonly fault: HeadFault }

/** Signs a head. `root`: the 32 raw bytes. */
export async function signOrganisationHead(
  { orgId, treeSize, root }: { orgId: string; treeSize: number; root: Uint8Array },
  key: SigningKey,
): Promise<OrganisationHead> {
  const signature = await key.sign(organisationHeadBytes(orgId, treeSize, root))
  return { v: 1, org_id: orgId, tree_size: treeSize, root_hash: bytesToHex(root), ...signedBy(signature, key) }
}

/** Signs a head. `root`: the 32 raw bytes. `at`: milliseconds since the epoch; the head states whole seconds. */
export async function signPublicHead(
  { treeSize, root, at }: { treeSize: number; root: Uint8Array; at: number },
  key: SigningKey,
): Promise<PublicHead> {
  const timestamp = new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z')
  const signature = await key.sign(publicHeadBytes(treeSize, root, timestamp))
  return {
    v: 1,
    log: 'public',
    tree_size: treeSize,
    root_hash: bytesToHex(root),
    timestamp,
    ...signedBy(signature, key),
  }
}

const signedBy = (signature: Uint8Array, { publicKey }: SigningKey): SignedBy => ({
  signature: encodeBase64url(signature),
  public_key: publicKey,
  key_id: keyIdOf(publicKey),
  algorithm: 'Ed25519',
})

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** @see docs/records.md#heads-and-proofs */
const organisationHeadBytes = (orgId: string, treeSize: number, root: Uint8Array): Uint8Array =>
  concatBytes(utf8(`aqta-sth-v1|${orgId}|${treeSize}|`), root)

/** @see docs/records.md#heads-and-proofs */
const publicHeadBytes = (treeSize: number, root: Uint8Array, timestamp: string): Uint8Array =>
  concatBytes(utf8(`aqta-sth-public-v1|${treeSize}|`), root, utf8(`|${timestamp}`))

/** Verifies a head. Ignores members that are not signed. Checks public_key only if the caller gave trusted keys. */
export function verifyHead(head: unknown, trust: Trust): HeadVerdict {
  if (!isJsonObject(head)) return { valid: false, fault: 'not_an_object' }
  const read = readHead(head)
  if ('fault' in read) return { valid: false, fault: read.fault }
  const { message, ...tree } = read
  const signer = findSigner(head, message, trust)
  if ('fault' in signer) return { valid: false, fault: signer.fault }
  const { publicKey } = signer
  const fault = findTimeFault(tree, publicKey, trust)
  if (fault !== null) return { valid: false, fault }
  return { valid: true, keySource: 'keys' in trust ? 'pinned' : 'untrusted', publicKey, ...tree }
}

type ReadHead = ({ message: Uint8Array } & SignedTree) | { fault: HeadFault }

/**
 * SECURITY: `log` decides which log the head belongs to. A missing org_id never does, because anyone could remove it.
 */
function readHead(head: JsonObject): ReadHead {
  const { org_id: orgId, root_hash: rootHash, timestamp } = head
  const isPublic = head['log'] === 'public'
  if (isPublic && orgId !== undefined && orgId !== null) return { fault: 'public_head_with_organisation' }
  if (!isPublic && typeof orgId !== 'string') return { fault: 'organisation_missing' }
  const treeSize = wholeNumberIn(head, 'tree_size')
  if (treeSize === null) return { fault: 'tree_size_malformed' }
  if (isPublic && (typeof timestamp !== 'string' || timestamp === '')) return { fault: 'timestamp_missing' }
  if (!isHash(rootHash)) return { fault: 'root_hash_malformed' }
  const named = isPublic ? timestamp : orgId
  if (typeof named !== 'string' || !named.isWellFormed()) return { fault: 'not_well_formed' }
  const root = hexToBytes(rootHash)
  return isPublic
    ? { message: publicHeadBytes(treeSize, root, named), orgId: null, treeSize, rootHash, timestamp: named }
    : { message: organisationHeadBytes(named, treeSize, root), orgId: named, treeSize, rootHash, timestamp: null }
}

function findSigner(head: JsonObject, message: Uint8Array, trust: Trust): { publicKey: string } | { fault: HeadFault } {
  const keys = 'keys' in trust ? trustedKeys(trust) : [head['public_key']]
  if (keys.length === 0) return { fault: 'no_trusted_key' }
  const signature = decodeExactly(head['signature'], SIGNATURE_BYTES)
  if (signature === null) return { fault: 'signature_malformed' }
  for (const publicKey of keys) {
    const bytes = decodeExactly(publicKey, PUBLIC_KEY_BYTES)
    if (bytes === null || typeof publicKey !== 'string') return { fault: 'public_key_malformed' }
    if (verifyEd25519(signature, message, bytes)) return { publicKey }
  }
  return { fault: 'signature_mismatch' }
}

/** Checks the key at the head's time. No log proves when a head was signed, so a revoked key is always a fault. */
function findTimeFault({ timestamp }: SignedTree, publicKey: string, trust: Trust): KeyFault | null {
  const key = listedKey(trust, publicKey)
  if (key === undefined) return null
  const at = timestamp === null ? null : parseRfc3339(timestamp)
  if (timestamp !== null && at === null) return 'outside_key_period'
  return findKeyFault(key, at, false)
}
