// Mints and parses the text of an API key: prefix, pepper version, jurisdiction, organisation, key id, secret, tag. After the
// prefix every part is base62 of a fixed length. The ids lead to the right object without a look-up. The tag (HMAC-SHA-256 of all
// before it, cut to 64 bits) lets the Worker refuse a made-up key without reading storage.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { decodeBase62, encodeBase62, randomBase62 } from '../platform/bytes.ts'
import type { Pepper } from '../platform/config.ts'
import { keyId, organisationId, parseId, type KeyId, type OrganisationId } from '../platform/ids.ts'
import { sha256 } from '../platform/sha256.ts'

export const KEY_PREFIXES = ['vk_test_', 'vk_live_', 'aqta_', 'sk-aqta-'] as const
export type KeyPrefix = (typeof KEY_PREFIXES)[number]

/** The other prefixes belong to the referral service. */
export const GATEWAY_PREFIXES = ['aqta_', 'sk-aqta-'] as const satisfies KeyPrefix[]

export const isGatewayPrefix = (prefix: KeyPrefix): boolean => GATEWAY_PREFIXES.some((one) => one === prefix)

export const JURISDICTIONS = ['eu', 'global'] as const
export type Jurisdiction = (typeof JURISDICTIONS)[number]
const JURISDICTION_LETTERS = { eu: 'e', global: 'g' } as const satisfies Record<Jurisdiction, string>

const LENGTHS = {
  version: 1,
  jurisdiction: 1,
  // 128 bits: 62^22 > 2^128.
  organisation: 22,
  key: 22,
  // At least 190 bits: 62^32 = 2^190.5.
  secret: 32,
  // 64 bits: 62^11 > 2^64.
  tag: 11,
}
const BODY_LENGTH = Object.values(LENGTHS).reduce((sum, length) => sum + length, 0)
const ID_BYTES = 16
const TAG_BYTES = 8

export type ParsedKey = {
  prefix: KeyPrefix
  jurisdiction: Jurisdiction
  organisationId: OrganisationId
  keyId: KeyId
  /** SHA-256 of the secret, which the organisation's object compares. */
  secretHash: Uint8Array
}

export type MintedKey = { key: string; secretHash: Uint8Array; lastFour: string }

type MintRequest = {
  prefix: KeyPrefix
  pepper: Pepper
  jurisdiction: Jurisdiction
  organisationId: OrganisationId
  keyId: KeyId
}

export function mintKey({ prefix, pepper, jurisdiction, organisationId: orgId, keyId: id }: MintRequest): MintedKey {
  const orgBytes = parseId('org_', orgId)
  const keyBytes = parseId('key_', id)
  if (orgBytes === null || keyBytes === null) throw new TypeError('not an id of an organisation and a key')
  const secret = randomBase62(LENGTHS.secret)
  const signed = [
    prefix,
    pepper.version,
    JURISDICTION_LETTERS[jurisdiction],
    encodeBase62(orgBytes, LENGTHS.organisation),
    encodeBase62(keyBytes, LENGTHS.key),
    secret,
  ].join('')
  const key = signed + encodeBase62(tagOf(signed, pepper), LENGTHS.tag)
  return { key, secretHash: sha256(secret), lastFour: key.slice(-4) }
}

/** Returns the parts of a genuine key, or null. Reads no storage, so a made-up key costs little. */
export function parseKey(text: string, peppers: readonly Pepper[]): ParsedKey | null {
  const prefix = KEY_PREFIXES.find((candidate) => text.startsWith(candidate))
  if (prefix === undefined || text.length !== prefix.length + BODY_LENGTH) return null
  let at = prefix.length
  const take = (length: number): string => text.slice(at, (at += length))
  const version = take(LENGTHS.version)
  const letter = take(LENGTHS.jurisdiction)
  const orgBytes = decodeBase62(take(LENGTHS.organisation), ID_BYTES)
  const keyBytes = decodeBase62(take(LENGTHS.key), ID_BYTES)
  const secret = take(LENGTHS.secret)
  const signed = text.slice(0, at)
  const tag = decodeBase62(take(LENGTHS.tag), TAG_BYTES)

  const pepper = peppers.find((candidate) => candidate.version === version)
  const jurisdiction = JURISDICTIONS.find((name) => JURISDICTION_LETTERS[name] === letter)
  if (!pepper || !jurisdiction || !orgBytes || !keyBytes || !tag) return null
  if (!timingSafeEqual(tag, tagOf(signed, pepper))) return null
  return {
    prefix,
    jurisdiction,
    organisationId: organisationId(orgBytes),
    keyId: keyId(keyBytes),
    secretHash: sha256(secret),
  }
}

const tagOf = (signed: string, pepper: Pepper): Uint8Array =>
  new Uint8Array(createHmac('sha256', pepper.bytes).update(signed).digest()).subarray(0, TAG_BYTES)
