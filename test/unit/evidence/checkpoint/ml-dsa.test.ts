// ML-DSA-44 signatures of checkpoints: known answers of another implementation, and what is none.
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { decodeBase64, encodeBase64 } from '../../../../src/evidence/records/base64.ts'
import { formatCheckpoint } from '../../../../src/evidence/checkpoint/checkpoint.ts'
import { formatVkey, parseVkey } from '../../../../src/evidence/checkpoint/note-key.ts'
import { mlDsaSigner, signNote } from '../../../../src/evidence/checkpoint/note-signature.ts'
import { verifyCheckpoint } from '../../../../src/evidence/checkpoint/witness-policy.ts'
import python from '../../../fixtures/checkpoints/ml-dsa-44.json'
import { AT, checkpointOf, logSigner, ORIGIN, signedBytes } from './made-checkpoint.ts'

const [asLog, asWitness] = python.signers.map(({ vkey }) => parseVkey(vkey)).filter((key) => key !== null)
if (asLog === undefined || asWitness === undefined) throw new Error('no vkeys')
const policy = { log: [asLog], witnesses: [asWitness], quorum: 1 }
const [lineOfLog = '', lineOfWitness = ''] = python.signers.map(({ line }) => line)

const judge = (text: string) => verifyCheckpoint(utf8ToBytes(text), policy)

describe('what Python signed', () => {
  it('is valid, as the log’s own signature and as a witness’s', () => {
    expect(judge(`${python.text}\n${lineOfLog}${lineOfWitness}`)).toMatchObject({
      valid: true,
      cosigned: [{ name: 'witness.example/pq', seconds: python.seconds }],
      hasQuorum: true,
    })
  })

  it.each(python.signers)('has the key that the seed of $name makes here', ({ name, seed, vkey }) => {
    expect(formatVkey(mlDsaSigner(name, hexToBytes(seed)).key)).toBe(vkey)
  })

  it('is none with another time, another tree, a byte less, or under another name', () => {
    const blob = decodeBase64(lineOfWitness.trimEnd().split(' ')[2] ?? '') ?? new Uint8Array()
    const withBlob = (bytes: Uint8Array) =>
      judge(`${python.text}\n${lineOfLog}— ${asWitness.name} ${encodeBase64(bytes)}\n`)
    expect(withBlob(blob)).toMatchObject({ valid: true })
    expect(withBlob(blob.map((byte, at) => (at === 11 ? byte ^ 1 : byte)))).toMatchObject({ fault: 'signature_wrong' })
    expect(withBlob(blob.subarray(0, -1))).toMatchObject({ fault: 'signature_wrong' })
    expect(judge(`${python.text.replace('300', '301')}\n${lineOfLog}`)).toMatchObject({ fault: 'signature_wrong' })
    const renamed = { ...asWitness, name: 'renamed.example' }
    const line = lineOfWitness.replace(asWitness.name, renamed.name)
    expect(
      verifyCheckpoint(utf8ToBytes(`${python.text}\n${lineOfLog}${line}`), { ...policy, witnesses: [renamed] }),
    ).toMatchObject({ fault: 'signature_wrong' })
  })
})

describe('mlDsaSigner', () => {
  it('signs beside Ed25519, and either is enough for the log', async () => {
    const [log, beside] = [await logSigner(), mlDsaSigner(ORIGIN, new Uint8Array(32).fill(4))]
    const bytes = await signedBytes([log, beside], checkpointOf(12))
    for (const keys of [[log.key], [beside.key], [log.key, beside.key]]) {
      expect(verifyCheckpoint(bytes, { log: keys, witnesses: [], quorum: 0 })).toMatchObject({ valid: true })
    }
  })

  it('signs no text that is no checkpoint', async () => {
    const signer = mlDsaSigner(ORIGIN, new Uint8Array(32).fill(4))
    await expect(signNote('anything\n', [signer], AT)).rejects.toThrow(TypeError)
  })

  it('does not cover extension lines, which the format leaves out', async () => {
    const signer = mlDsaSigner(ORIGIN, new Uint8Array(32).fill(4))
    const note = await signNote(formatCheckpoint(checkpointOf(12)), [signer], AT)
    const extended = utf8ToBytes(note.replace('\n\n', '\nmore\n\n'))
    expect(verifyCheckpoint(extended, { log: [signer.key], witnesses: [], quorum: 0 })).toMatchObject({
      valid: true,
      checkpoint: { extensions: ['more'] },
    })
  })
})
