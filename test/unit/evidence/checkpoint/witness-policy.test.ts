// Tests when a checkpoint is believed: known answers by Go's packages, and every way of being refused.
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { importSigningKey } from '../../../../src/evidence/records/signing-key.ts'
import { decodeBase64, encodeBase64 } from '../../../../src/evidence/records/base64.ts'
import { formatCheckpoint, parseCheckpoint, parseSize } from '../../../../src/evidence/checkpoint/checkpoint.ts'
import { formatVkey, noteKey, parseVkey, type NoteKey } from '../../../../src/evidence/checkpoint/note-key.ts'
import { ed25519Signer, signNote } from '../../../../src/evidence/checkpoint/note-signature.ts'
import { findPolicyFault, verifyCheckpoint } from '../../../../src/evidence/checkpoint/witness-policy.ts'
import go from '../../../fixtures/checkpoints/go.json'
import { runs } from '../../../support/runs.ts'
import { AT, checkpointOf, logSigner, ORIGIN, signedBytes, textOf, witnessSigner } from './made-checkpoint.ts'
import { cosigner, signTogether } from '../../../support/cosigner.ts'

const keyOf = (vkey: string): NoteKey => {
  const key = parseVkey(vkey)
  if (key === null) throw new Error('no vkey')
  return key
}

describe('checkpoints that Go made', () => {
  const policy = { log: [keyOf(go.log_vkey)], witnesses: [keyOf(go.witness_vkey)], quorum: 1 }

  it.each(go.checkpoints)(
    'over $size leaves are made again byte for byte',
    async ({ size, root, text, note, cosigned }) => {
      const log = ed25519Signer(go.origin, await importSigningKey(hexToBytes(go.log_seed)))
      const witness = cosigner(go.witness_name, await importSigningKey(hexToBytes(go.witness_seed)))
      const made = formatCheckpoint({
        origin: go.origin,
        size,
        root: decodeBase64(root) ?? new Uint8Array(),
        extensions: [],
      })
      expect(made).toBe(text)
      expect(await signNote(made, log)).toBe(note)
      expect(await signTogether(made, [log, witness], go.seconds * 1000)).toBe(cosigned)
      expect([formatVkey(log.key), formatVkey(witness.key)]).toEqual([go.log_vkey, go.witness_vkey])
    },
  )

  it.each(go.checkpoints)('over $size leaves are believed', ({ size, cosigned }) => {
    expect(verifyCheckpoint(utf8ToBytes(cosigned), policy)).toMatchObject({
      valid: true,
      checkpoint: { origin: go.origin, size },
      cosigned: [{ name: go.witness_name, seconds: go.seconds }],
      hasQuorum: true,
    })
  })
})

describe('parseCheckpoint', () => {
  const root = encodeBase64(new Uint8Array(32).fill(1))

  it('keeps extension lines, and comes back to the same text', () => {
    const checkpoint = checkpointOf(12, { extensions: ['one', 'two 2'] })
    expect(parseCheckpoint(formatCheckpoint(checkpoint))).toEqual(checkpoint)
  })

  it.each([
    ['two lines', 'log\n1\n'],
    ['no newline at its end', `log\n1\n${root}`],
    ['an empty line', `log\n1\n${root}\n\nmore\n`],
    ['no origin', `\n1\n${root}\n`],
    ['a leading zero', `log\n01\n${root}\n`],
    ['a sign', `log\n+1\n${root}\n`],
    ['a negative size', `log\n-1\n${root}\n`],
    ['a size in hexadecimal', `log\n0x1\n${root}\n`],
    ['a size with a space', `log\n1 \n${root}\n`],
    ['digits that are not ASCII', `log\n١\n${root}\n`],
    ['a size beyond 2^53 - 1', `log\n9007199254740992\n${root}\n`],
    ['a size of a hundred digits', `log\n${'9'.repeat(100)}\n${root}\n`],
    ['a root of 31 bytes', `log\n1\n${encodeBase64(new Uint8Array(31))}\n`],
    ['a root in hexadecimal', `log\n1\n${'01'.repeat(32)}\n`],
    ['no leaf, and the root of some', `log\n0\n${root}\n`],
  ])('refuses %s', (_, text) => {
    expect(parseCheckpoint(text)).toBeNull()
  })

  it('has one text for each tree', () => {
    const size = fc.maxSafeNat().map((nat) => nat + 1)
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(size, hash, (leaves, bytes) => {
        const tree = { origin: ORIGIN, size: Math.min(leaves, Number.MAX_SAFE_INTEGER), root: bytes, extensions: [] }
        expect(parseCheckpoint(formatCheckpoint(tree))).toEqual(tree)
      }),
      { numRuns: runs(300) },
    )
    expect(parseSize('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER)
  })
})

describe('verifyCheckpoint', () => {
  it('counts witnesses and not lines, and takes the newest of each', async () => {
    const [log, one, two] = [await logSigner(), await witnessSigner('one.example'), await witnessSigner('two.example')]
    const policy = { log: [log.key], witnesses: [one.key, two.key], quorum: 2 }
    const text = formatCheckpoint(checkpointOf(7))
    const older = await signTogether(text, [log, one], AT - 60_000)
    const [, newer = ''] = (await signTogether(text, [one], AT)).split('\n\n')
    expect(verifyCheckpoint(utf8ToBytes(older + newer), policy)).toMatchObject({
      cosigned: [{ name: 'one.example', seconds: AT / 1000 }],
      hasQuorum: false,
    })
    const both = await signedBytes([two, log, one])
    expect(verifyCheckpoint(both, policy)).toMatchObject({ hasQuorum: true })
  })

  it('refuses what the log has not signed, though witnesses have', async () => {
    const [log, witness] = [await logSigner(), await witnessSigner('one.example')]
    const bytes = await signedBytes([witness])
    expect(verifyCheckpoint(bytes, { log: [log.key], witnesses: [witness.key], quorum: 1 })).toEqual({
      valid: false,
      fault: 'log_signature_missing',
    })
  })

  it('refuses a checkpoint of another log, signed by this log’s key', async () => {
    const log = await logSigner()
    const bytes = await signedBytes([log], checkpointOf(7, { origin: 'other.example' }))
    expect(verifyCheckpoint(bytes, { log: [log.key], witnesses: [], quorum: 0 })).toEqual({
      valid: false,
      fault: 'other_origin',
    })
  })

  it('refuses a text that is no checkpoint, however well signed', async () => {
    const log = await logSigner()
    const bytes = utf8ToBytes(await signNote(`${ORIGIN}\nmuch\n`, log))
    expect(verifyCheckpoint(bytes, { log: [log.key], witnesses: [], quorum: 0 })).toMatchObject({
      fault: 'not_a_checkpoint',
    })
  })

  it('refuses the whole where a cosignature was moved from another checkpoint or another time', async () => {
    const [log, witness] = [await logSigner(), await witnessSigner('one.example')]
    const policy = { log: [log.key], witnesses: [witness.key], quorum: 1 }
    const lineOf = async (size: number) => textOf(await signedBytes([witness], checkpointOf(size))).split('\n\n')[1]
    const signed = textOf(await signedBytes([log], checkpointOf(8)))
    expect(verifyCheckpoint(utf8ToBytes(signed + (await lineOf(8))), policy)).toMatchObject({ hasQuorum: true })
    expect(verifyCheckpoint(utf8ToBytes(signed + (await lineOf(7))), policy)).toEqual({
      valid: false,
      fault: 'signature_wrong',
    })
    const line = (await lineOf(8)) ?? ''
    const [, name = '', encoded = ''] = line.trimEnd().split(' ')
    const later = (decodeBase64(encoded) ?? new Uint8Array()).map((byte, at) => (at === 11 ? byte ^ 1 : byte))
    expect(verifyCheckpoint(utf8ToBytes(`${signed}— ${name} ${encodeBase64(later)}\n`), policy)).toMatchObject({
      fault: 'signature_wrong',
    })
  })

  it('refuses a cosignature under the log’s own type of key, and the other way round', async () => {
    const [log, witness] = [await logSigner(), await witnessSigner('one.example')]
    const asLog = noteKey('one.example', 'ed25519', witness.key.publicKey)
    const bytes = await signedBytes([log, witness])
    expect(verifyCheckpoint(bytes, { log: [log.key], witnesses: [asLog], quorum: 1 })).toMatchObject({
      cosigned: [],
      hasQuorum: false,
    })
  })
})

describe('findPolicyFault', () => {
  it('finds every policy that would count what it must not', async () => {
    const [log, one] = [(await logSigner()).key, (await witnessSigner('one.example')).key]
    const two = (await witnessSigner('two.example')).key
    const renamed = noteKey('renamed.example', 'cosignature', one.publicKey)
    const itself = noteKey('one.example', 'cosignature', log.publicKey)
    const ask = (more: object) => findPolicyFault({ log: [log], witnesses: [one, two], quorum: 2, ...more })
    expect(ask({})).toBeNull()
    expect(ask({ log: [] })).toBe('no_log_key')
    expect(ask({ log: [log, (await logSigner('b', 'other.example')).key] })).toBe('several_logs')
    expect(ask({ log: [one] })).toBe('not_a_log_key')
    expect(ask({ witnesses: [log] })).toBe('not_a_witness_key')
    expect(ask({ witnesses: [one, one] })).toBe('witness_twice')
    expect(ask({ witnesses: [one, renamed] })).toBe('witness_twice')
    expect(ask({ witnesses: [itself], quorum: 1 })).toBe('witness_twice')
    expect(ask({ quorum: 3 })).toBe('quorum_unreachable')
  })
})
