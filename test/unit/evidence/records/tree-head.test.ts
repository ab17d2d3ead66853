// Heads of the transparency log: signed over the texts of the format, and refused when anything about them is off.
import { describe, expect, it } from 'vitest'
import { decodeBase64url } from '../../../../src/evidence/records/base64.ts'
import { importSigningKey } from '../../../../src/evidence/records/signing-key.ts'
import {
  signOrganisationHead,
  signPublicHead,
  verifyHead,
  type HeadFault,
} from '../../../../src/evidence/records/tree-head.ts'

const key = await importSigningKey(new Uint8Array(32).fill(7))
const other = await importSigningKey(new Uint8Array(32).fill(8))
const trust = { keys: [key.publicKey] }
const root = new Uint8Array(32).fill(0xab)

const publicHead = await signPublicHead({ treeSize: 155, root, at: Date.UTC(2026, 10, 20, 5, 0, 1, 999) }, key)
const ownHead = await signOrganisationHead({ orgId: 'org_invented', treeSize: 3, root }, key)

async function isSignedOver(signature: string, ...parts: (string | Uint8Array)[]): Promise<boolean> {
  const message = await new Blob(parts.map((part) => (typeof part === 'string' ? part : Uint8Array.from(part)))).bytes()
  const publicKey = decodeBase64url(key.publicKey) ?? new Uint8Array()
  const native = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify'])
  return crypto.subtle.verify(
    'Ed25519',
    native,
    decodeBase64url(signature) ?? new Uint8Array(),
    Uint8Array.from(message),
  )
}

describe('a head of the public log', () => {
  it('is signed over its size, its root and its time', async () => {
    expect(publicHead).toMatchObject({
      v: 1,
      log: 'public',
      tree_size: 155,
      root_hash: 'ab'.repeat(32),
      timestamp: '2026-11-20T05:00:01Z',
      public_key: key.publicKey,
      algorithm: 'Ed25519',
    })
    expect(publicHead.key_id).toMatch(/^aqta-att-[0-9a-f]{16}$/)
    const { signature } = publicHead
    expect(await isSignedOver(signature, 'aqta-sth-public-v1|155|', root, '|2026-11-20T05:00:01Z')).toBe(true)
  })

  it('verifies under the trusted key', () => {
    expect(verifyHead(publicHead, trust)).toEqual({
      valid: true,
      keySource: 'pinned',
      publicKey: key.publicKey,
      orgId: null,
      treeSize: 155,
      rootHash: 'ab'.repeat(32),
      timestamp: '2026-11-20T05:00:01Z',
    })
  })
})

describe('a head of an organisation’s log', () => {
  it('is signed over the organisation, its size and its root', async () => {
    expect(ownHead).toMatchObject({ v: 1, org_id: 'org_invented', tree_size: 3 })
    expect(await isSignedOver(ownHead.signature, 'aqta-sth-v1|org_invented|3|', root)).toBe(true)
  })

  it('verifies under one of several trusted keys, whatever it says of its key', () => {
    const keys = [other.publicKey, key.publicKey]
    expect(verifyHead({ ...ownHead, public_key: 'other' }, { keys })).toMatchObject({
      valid: true,
      publicKey: key.publicKey,
      orgId: 'org_invented',
      timestamp: null,
    })
  })

  it('may be of an empty log', async () => {
    const empty = await signOrganisationHead({ orgId: 'org_invented', treeSize: 0, root }, key)
    expect(verifyHead(empty, trust)).toMatchObject({ valid: true, treeSize: 0 })
  })
})

describe('a head that is not to be trusted', () => {
  const { org_id: _org, ...withoutOrganisation } = ownHead
  const { log: _log, ...withoutLog } = publicHead
  const cases: [HeadFault, string, unknown, Parameters<typeof verifyHead>[1]?][] = [
    ['not_an_object', 'an array', [publicHead]],
    ['not_an_object', 'null', null],
    ['public_head_with_organisation', 'both logs at once', { ...publicHead, org_id: 'org_invented' }],
    ['organisation_missing', 'no organisation', withoutOrganisation],
    ['organisation_missing', 'a public head whose log was taken out', withoutLog],
    ['organisation_missing', 'an organisation that is no text', { ...ownHead, org_id: 1 }],
    ['tree_size_malformed', 'a size below zero', { ...publicHead, tree_size: -1 }],
    ['tree_size_malformed', 'a size as text', { ...publicHead, tree_size: '155' }],
    ['tree_size_malformed', 'half a leaf', { ...publicHead, tree_size: 1.5 }],
    ['tree_size_malformed', 'a size beyond exact numbers', { ...publicHead, tree_size: 2 ** 53 }],
    ['timestamp_missing', 'no time', { ...publicHead, timestamp: '' }],
    ['root_hash_malformed', 'an upper-case root', { ...publicHead, root_hash: 'AB'.repeat(32) }],
    ['root_hash_malformed', 'a root with a line feed', { ...publicHead, root_hash: `${'ab'.repeat(32)}\n` }],
    ['root_hash_malformed', 'a short root', { ...publicHead, root_hash: 'ab'.repeat(31) }],
    ['not_well_formed', 'half a surrogate pair', { ...ownHead, org_id: '\ud800' }],
    ['no_trusted_key', 'no key', publicHead, { keys: [] }],
    ['signature_malformed', 'a padded signature', { ...publicHead, signature: `${publicHead.signature}==` }],
    ['signature_malformed', 'no signature', { ...publicHead, signature: undefined }],
    ['public_key_malformed', 'a trusted key with a line feed', publicHead, { keys: [`${key.publicKey}\n`] }],
    ['public_key_malformed', 'no key of its own', { ...publicHead, public_key: null }, { integrityOnly: true }],
    ['signature_mismatch', 'another size', { ...publicHead, tree_size: 156 }],
    ['signature_mismatch', 'another root', { ...publicHead, root_hash: 'ac'.repeat(32) }],
    ['signature_mismatch', 'another time', { ...publicHead, timestamp: '2026-11-20T05:00:02Z' }],
    ['signature_mismatch', 'another organisation', { ...ownHead, org_id: 'org_other' }],
    ['signature_mismatch', 'another key', publicHead, { keys: [other.publicKey] }],
    [
      'signature_mismatch',
      'an organisation’s head passed off as public',
      { ...publicHead, signature: ownHead.signature },
    ],
  ]

  it.each(cases)('%s: %s', (fault, _, head, given = trust) => {
    expect(verifyHead(head, given)).toEqual({ valid: false, fault })
  })

  it('is labelled untrusted where no key was asked for', () => {
    expect(verifyHead(publicHead, { integrityOnly: true })).toMatchObject({ valid: true, keySource: 'untrusted' })
  })
})
