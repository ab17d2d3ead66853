// countersign-verify on checkpoints: the log's key, a quorum of witnesses, and whether one continues another.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { importSigningKey } from '../../src/evidence/records/signing-key.ts'
import { decodeBase64, encodeBase64 } from '../../src/evidence/records/base64.ts'
import { formatVkey, noteKey, parseVkey } from '../../src/evidence/checkpoint/note-key.ts'
import { ed25519Signer, signNote } from '../../src/evidence/checkpoint/note-signature.ts'
import { tilePath, tilesBetween } from '../../src/evidence/tree/tiles.ts'
import { hashLeaf } from '../../src/evidence/tree/merkle-hash.ts'
import { appendLeaves, hashesOf } from '../support/log-tree.ts'
import go from '../fixtures/checkpoints/go.json'
import { cosigner, signTogether } from '../support/cosigner.ts'
import { verify as verifyFile } from '../support/e2e/verify.ts'

const made = (size: number) => {
  const found = go.checkpoints.find((checkpoint) => checkpoint.size === size)
  if (found === undefined) throw new Error(`no checkpoint of ${size} leaves`)
  return found
}

const hexOf = (base64: string): string => Buffer.from(base64, 'base64').toString('hex')

/** As the service answers it. */
const proofTo = (size: number) => {
  const { old_size, old_root, root, consistency } = made(size)
  const [oldRoot, newRoot] = [hexOf(old_root), hexOf(root)]
  return { old_size, new_size: size, old_root: oldRoot, new_root: newRoot, consistency_path: consistency.map(hexOf) }
}

const log = ed25519Signer(go.origin, await importSigningKey(hexToBytes(go.log_seed)))
const stranger = await importSigningKey(new Uint8Array(32).fill(3))
const other = cosigner('other.example', stranger)
const otherVkey = formatVkey(other.key)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'verify-checkpoint-'))
  for (const { size, cosigned, note } of go.checkpoints) {
    write(`cosigned-${size}`, cosigned)
    write(`signed-${size}`, note)
  }
  writeTiles('tiles', 'leaf')
  writeTiles('other-tiles', 'other leaf')
})

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

/** Those of the tree of 300 leaves. */
function writeTiles(prefix: string, word: string): void {
  const leaves = Array.from({ length: 300 }, (_, index) => hashLeaf(utf8ToBytes(`${word} ${index}`)))
  const nodes = appendLeaves(0, leaves, () => new Uint8Array())
  for (const tile of tilesBetween(-1, 300)) {
    const { level, index, width } = hashesOf(tile)
    const hashes = nodes.filter((node) => node.level === level && node.index >= index && node.index < index + width)
    write(`${prefix}/tile/${tilePath(tile)}`, Buffer.concat(hashes.map(({ hash }) => hash)))
  }
}

const verify = (name: string, ...args: string[]) => verifyFile(join(folder, name), ...args)

const LOG = ['--log', go.log_vkey]
const WITNESS = ['--witness', go.witness_vkey]
const older = (size: number) => ['--older', join(folder, `signed-${size}`)]

describe('a checkpoint', () => {
  it('is valid under the log’s key, and says its size', async () => {
    const { status, said } = await verify('signed-300', ...LOG)
    expect(status).toBe(0)
    expect(said).toBe(`valid       checkpoint  ${go.origin}, 300 leaves  pinned key\n`)
  })

  it('is proven to be witnessed by as many as are asked for, and by no fewer', async () => {
    const { status, said } = await verify('cosigned-300', ...LOG, ...WITNESS)
    expect(status).toBe(0)
    expect(said).toContain('valid       witnesses  1 of at least 1  witness.example/w1 2025-11-21T04:40:00Z')
    const two = [...LOG, ...WITNESS, '--witness', otherVkey]
    expect((await verify('cosigned-300', ...two, '--quorum', '1')).status).toBe(0)
    const tooFew = await verify('cosigned-300', ...two)
    expect(tooFew.status).toBe(1)
    expect(tooFew.said).toContain('not proven  witnesses  1 of at least 2')
    expect((await verify('signed-300', ...LOG, ...WITNESS)).status).toBe(1)
  })

  it('has its findings as JSON', async () => {
    const { said } = await verify('cosigned-300', ...LOG, ...WITNESS, '--json')
    expect(JSON.parse(said)).toMatchObject({
      valid: true,
      verdict: 'valid',
      findings: [{ kind: 'checkpoint' }, { kind: 'witnesses' }],
    })
  })

  it('is refused where it is older than --max-age, by the times of its cosignatures', async () => {
    const age = Date.now() - go.seconds * 1000
    const days = Math.ceil(age / 86_400_000)
    expect((await verify('cosigned-300', ...LOG, ...WITNESS, '--max-age', `${days + 1}d`)).status).toBe(0)
    const old = await verify('cosigned-300', ...LOG, ...WITNESS, '--max-age', `${days - 1}d`)
    expect([old.status, old.said]).toEqual([1, expect.stringContaining('(too_old)')])
    expect((await verify('signed-300', ...LOG, '--max-age', '7d')).said).toContain('(not_proven)')
  })

  it('is not valid where anything in it was changed, and says what', async () => {
    const forged = async (name: string, text: string): Promise<string> => {
      write(name, text)
      return (await verify(name, ...LOG, ...WITNESS)).said
    }
    const { cosigned, text, note } = made(300)
    expect(await forged('size', cosigned.replace('\n300\n', '\n301\n'))).toContain('(signature_wrong)')
    expect(await forged('origin', cosigned.replace(go.origin, 'other.example'))).toContain('(other_origin)')
    expect(await forged('extension', cosigned.replace('\n\n', '\nmore\n\n'))).toContain('(signature_wrong)')
    expect(await forged('unsigned', `${text}\n${cosigned.slice(note.length)}`)).toContain('(log_signature_missing)')
    expect(await forged('moved', note + made(257).cosigned.slice(made(257).note.length))).toContain('(signature_wrong)')
    expect(await forged('crlf', cosigned.replaceAll('\n', '\r\n'))).toContain('(control_character)')
    expect(await forged('escape', `\u001b[2J${cosigned}`)).toContain('(control_character)')
    expect(await forged('json', '{}')).toContain('(not_signed)')
    expect(await forged('resigned', await signNote(text, ed25519Signer(go.origin, stranger)))).toContain(
      '(log_signature_missing)',
    )
  })

  it('does not let text of its own reach the terminal as it is', async () => {
    const name = 'witness\u202e.example'
    const odd = cosigner(name, stranger)
    write('odd', await signTogether(made(300).text, [log, odd], 0))
    expect((await verify('odd', ...LOG, '--witness', formatVkey(odd.key))).said).toContain('witness?.example')
  })

  it('may claim a time that no clock has', async () => {
    const key = parseVkey(go.witness_vkey)
    const line = made(300).cosigned.slice(made(300).note.length).trimEnd().split(' ')
    const blob = decodeBase64(line[2] ?? '') ?? new Uint8Array()
    blob.fill(0xff, 4, 12)
    write('time', `${made(300).note}— ${key?.name} ${encodeBase64(blob)}\n`)
    expect((await verify('time', ...LOG, ...WITNESS)).said).toContain('(signature_wrong)')
  })
})

describe('an older checkpoint', () => {
  it.each([
    [257, 300],
    [256, 257],
    [7, 8],
  ])('of %i leaves is continued by one of %i, by a proof', async (from, to) => {
    const proof = write(`proof-${to}.json`, JSON.stringify(proofTo(to)))
    const { status, said } = await verify(`cosigned-${to}`, ...LOG, ...older(from), '--proof', proof)
    expect(status).toBe(0)
    expect(said).toContain(`valid       consistency  from ${from} to ${to} leaves`)
    expect(said).toContain(`valid       older checkpoint  ${go.origin}, ${from} leaves`)
  })

  it.each([1, 2, 7, 255, 256, 257])('of %i leaves is continued by one of 300, by tiles', async (from) => {
    const { status } = await verify('signed-300', ...LOG, ...older(from), '--tiles', join(folder, 'tiles'))
    expect(status).toBe(0)
  })

  it('of no leaf is continued by any, and one of the same size by the same tree', async () => {
    expect((await verify('signed-300', ...LOG, ...older(0))).status).toBe(0)
    expect((await verify('signed-300', ...LOG, ...older(300))).status).toBe(0)
  })

  it('is not joined without anything that shows it, by a proof of other trees, or by other tiles', async () => {
    const why = async (...args: string[]): Promise<string> => (await verify('signed-300', ...LOG, ...args)).said
    expect(await why(...older(257))).toContain('(not_proven)')
    const proof = write('proof-257.json', JSON.stringify(proofTo(257)))
    expect(await why(...older(257), '--proof', proof)).toContain('(proof_of_other_trees)')
    const changed = { ...proofTo(300), consistency_path: proofTo(300).consistency_path.toReversed() }
    expect(await why(...older(257), '--proof', write('changed.json', JSON.stringify(changed)))).toContain(
      '_root_mismatch)',
    )
    expect(await why(...older(257), '--tiles', join(folder, 'other-tiles'))).toContain('(tiles_of_other_trees)')
    expect(await why(...older(257), '--tiles', join(folder, 'no-tiles'))).toContain('(not_proven)')
  })

  it('is shown to be contradicted by one of its size with another root', async () => {
    const fork = made(300).text.replace(made(300).root, encodeBase64(new Uint8Array(32).fill(9)))
    write('fork', await signNote(fork, log))
    const { status, said } = await verify('fork', ...LOG, ...older(300))
    expect(status).toBe(1)
    expect(said).toContain('(equivocation)')
    write('signed-301', await signNote(made(257).text, log))
    expect((await verify('signed-257', ...LOG, ...older(300))).said).toContain('(older_is_larger)')
  })

  it('must be the log’s own', async () => {
    write('foreign', made(257).cosigned.slice(0, -20))
    expect((await verify('signed-300', ...LOG, '--older', join(folder, 'foreign'))).said).toMatch(
      /invalid +older checkpoint/,
    )
  })
})

describe('arguments that do not fit', () => {
  const sameKey = formatVkey(
    noteKey('renamed.example', 'cosignature', parseVkey(go.witness_vkey)?.publicKey ?? new Uint8Array()),
  )

  it.each([
    ['no key of the log', WITNESS],
    ['a vkey that is none', ['--log', 'a+b+c']],
    ['a witness for the log', ['--log', go.witness_vkey]],
    ['the log for a witness', [...LOG, '--witness', go.log_vkey]],
    ['one key under two names', [...LOG, ...WITNESS, '--witness', sameKey]],
    ['a quorum of more than there are', [...LOG, ...WITNESS, '--quorum', '2']],
    ['a quorum of none', [...LOG, ...WITNESS, '--quorum', '0']],
    ['a proof without an older one', [...LOG, '--proof', 'proof.json']],
    ['both proof and tiles', [...LOG, '--older', 'a', '--proof', 'b', '--tiles', 'c']],
    ['an age that is none', [...LOG, '--max-age', '7']],
    ['a key of receipts', [...LOG, '--key', 'A'.repeat(43)]],
    ['another kind', [...LOG, '--as', 'head']],
  ])('end with 2: %s', async (_, args) => {
    expect((await verify('cosigned-300', ...args)).status).toBe(2)
  })

  it('end with 2, and say what is missing, where a checkpoint is given without its log', async () => {
    const { status, said } = await verify('cosigned-300', '--key', 'A'.repeat(43))
    expect([status, said]).toEqual([2, 'This is a checkpoint. Give --log VKEY.\n'])
  })
})
