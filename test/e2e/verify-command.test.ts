// countersign-verify, run as its users run it: on files, addresses and standard input.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { receiptEntry } from '../../src/attestation/receipt-entry.ts'
import { describeDecision, type AttestationRecord } from '../../src/attestation/record.ts'
import { requestHash } from '../../src/attestation/request-hash.ts'
import { signRecord } from '../../src/attestation/sign-record.ts'
import { importSigningKey } from '../../src/attestation/signing-key.ts'
import { signOrganisationHead, signPublicHead } from '../../src/attestation/tree-head.ts'
import { hashLeaf } from '../../src/ledger/merkle-hash.ts'
import { appendLeaves, consistencyProof, inclusionProof, rootAt, type NodeReader } from '../../src/ledger/merkle.ts'
import { bytesOfVector, type VectorFile } from '../fixtures/attestation/vector.ts'

const key = await importSigningKey(new Uint8Array(32).fill(7))
const other = await importSigningKey(new Uint8Array(32).fill(8))
const request = { model: 'invented-model', messages: [{ role: 'user', content: 'Größe?' }] }

const recordNumbered = (number: number, signer = key): Promise<AttestationRecord> => {
  const decision = {
    attestationId: crypto.randomUUID(),
    traceId: `tr_${String(number).padStart(32, '0')}`,
    organisationId: 'org_invented',
    requestHash: requestHash(request),
    model: 'invented-model',
    outcome: 'ALLOWED' as const,
    policies: ['loop_guard'],
    costPreventedMicroeur: 0,
    decidedAt: Date.UTC(2026, 10, 20, 5),
  }
  return signRecord(describeDecision(decision, signer.publicKey), signer)
}

const records = await Promise.all(Array.from({ length: 11 }, (_, number) => recordNumbered(number)))
const record = records[5] ?? (await recordNumbered(5))

const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex')
const leaves = records.map((each) => hashLeaf(receiptEntry(each)))
const nodes = new Map(
  appendLeaves(0, leaves, () => new Uint8Array()).map(({ level, index, hash }) => [`${level}/${index}`, hash]),
)
const read: NodeReader = (level, index) => nodes.get(`${level}/${index}`) ?? new Uint8Array()
const inclusion = {
  leaf_hash: hex(read(0, 5)),
  leaf_index: 5,
  tree_size: 11,
  root_hash: hex(rootAt(11, read)),
  audit_path: inclusionProof(5, 11, read).map(hex),
}
const consistency = {
  old_size: 7,
  new_size: 11,
  old_root: hex(rootAt(7, read)),
  new_root: hex(rootAt(11, read)),
  consistency_path: consistencyProof(7, 11, read).map(hex),
}
const head = await signPublicHead({ treeSize: 11, root: rootAt(11, read), at: Date.UTC(2026, 10, 20) }, key)
const oldHead = await signOrganisationHead({ orgId: 'org_invented', treeSize: 7, root: rootAt(7, read) }, key)

let folder: string
let server: Server
let address: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'))
  server = createServer((incoming, outgoing) => {
    outgoing.statusCode = incoming.url === '/record' ? 200 : 404
    outgoing.end(JSON.stringify(record))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

let files = 0
function file(content: object | string | Uint8Array, extension = 'json'): string {
  const path = join(folder, `${(files += 1)}.${extension}`)
  writeFileSync(path, typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content))
  return path
}

type Answer = { status: number | null; stdout: string; stderr: string }

/** Not spawnSync: the server of this very process must be able to answer. */
function verify(args: readonly string[], input = ''): Promise<Answer> {
  const child = spawn(process.execPath, ['scripts/countersign-verify.ts', ...args])
  const answer: Answer = { status: null, stdout: '', stderr: '' }
  child.stdout.on('data', (part) => (answer.stdout += String(part)))
  child.stderr.on('data', (part) => (answer.stderr += String(part)))
  child.stdin.on('error', () => null)
  child.stdin.end(input)
  return new Promise((resolve) => child.on('close', (status) => resolve({ ...answer, status })))
}

const pinned = ['--key', key.publicKey]

describe('a record', () => {
  it('is valid under the pinned key, from a file, an address and standard input', async () => {
    for (const source of [file(record), `${address}/record`, '-']) {
      const { status, stdout } = await verify([source, ...pinned], JSON.stringify(record))
      expect(status).toBe(0)
      expect(stdout).toMatch(/^valid .*ALLOWED.*pinned key\n$/)
    }
  })

  it('is found in a chat answer', async () => {
    const answer = { id: 'chatcmpl-1', aqta: { status: 'passed', attestation: record } }
    expect(await verify([file(answer), ...pinned])).toMatchObject({ status: 0 })
    const changed = { ...answer, aqta: { attestation: { ...record, outcome: 'BLOCKED' } } }
    expect(await verify([file(changed), ...pinned])).toMatchObject({ status: 1 })
  })

  it('is untrusted, and says so, when no key is asked for', async () => {
    const forged = file(await recordNumbered(1, other))
    const { status, stdout } = await verify([forged, '--integrity-only'])
    expect(status).toBe(0)
    expect(stdout).toContain('untrusted key')
    expect(stdout).toContain('No key was trusted')
    const asJson = await verify([forged, '--integrity-only', '--json'])
    expect(JSON.parse(asJson.stdout)).toMatchObject({ valid: true, findings: [{ key_source: 'untrusted' }] })
    expect(await verify([forged, ...pinned])).toMatchObject({ status: 1 })
    expect(await verify([forged, ...pinned, '--key', other.publicKey])).toMatchObject({ status: 0 })
  })

  it('names what is wrong in JSON', async () => {
    const { status, stdout } = await verify([file({ ...record, outcome: 'BLOCKED' }), ...pinned, '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      valid: false,
      checked: 1,
      invalid: 1,
      unreadable: 0,
      findings: [
        {
          kind: 'record',
          valid: false,
          subject: record.attestation_id,
          code: 'signature_mismatch',
          reason: 'The signature is not one of this key over this record.',
        },
      ],
    })
  })

  it('cannot write to the terminal', async () => {
    const { stdout } = await verify([file({ ...record, attestation_id: '\u001b[2Jcleared\n\u202e' }), ...pinned])
    expect(stdout).toMatch(/^[ -~]+\n$/)
  })

  it('is about its request, in whatever order that is written', async () => {
    const reordered = file({ messages: [{ content: 'Größe?', role: 'user' }], model: 'invented-model' })
    expect(await verify([file(record), ...pinned, '--request', reordered])).toMatchObject({ status: 0 })
    const { status, stdout } = await verify([file(record), ...pinned, '--request', file({ model: 'other' })])
    expect(status).toBe(1)
    expect(stdout).toContain('request_mismatch')
  })
})

describe('a proof', () => {
  it('shows that a record is in a tree that was signed', async () => {
    const args = [file(record), ...pinned, '--proof', file(inclusion), '--head', file(head)]
    const { status, stdout } = await verify(args)
    expect(status).toBe(0)
    expect(stdout.match(/^valid /gm)).toHaveLength(3)
  })

  it.each<[string, () => string[]]>([
    ['leaf_mismatch', () => [file(records[4] ?? {}), '--proof', file(inclusion)]],
    ['root_mismatch', () => [file(record), '--proof', file({ ...inclusion, leaf_index: 4 })]],
    ['path_too_short', () => [file(record), '--proof', file({ ...inclusion, audit_path: [] })]],
    ['head_of_another_tree', () => [file(record), '--proof', file(inclusion), '--head', file(oldHead)]],
    [
      'signature_mismatch',
      () => [file(record), '--proof', file(inclusion), '--head', file({ ...head, tree_size: 12 })],
    ],
  ])('is refused: %s', async (code, args) => {
    const { status, stdout } = await verify([...args(), ...pinned])
    expect(status).toBe(1)
    expect(stdout).toContain(`(${code})`)
  })

  it('stands by itself, without a key as long as nothing is signed', async () => {
    const { status, stdout } = await verify([file(inclusion)])
    expect(status).toBe(0)
    expect(stdout).toContain('No head was given')
    expect(await verify([file(consistency)])).toMatchObject({ status: 0 })
    expect(await verify([file({ ...consistency, old_size: 6 })])).toMatchObject({ status: 1 })
    expect(await verify([file(inclusion), '--head', file(head)])).toMatchObject({ status: 2 })
  })

  it('joins two heads', async () => {
    const args = [file(consistency), ...pinned, '--head', file(head), '--head', file(oldHead)]
    expect(await verify(args)).toMatchObject({ status: 0 })
  })
})

describe('a head', () => {
  it('needs the key that signed it', async () => {
    expect(await verify([file(head), ...pinned])).toMatchObject({ status: 0 })
    expect(await verify([file(head), '--key', other.publicKey])).toMatchObject({ status: 1 })
    expect(await verify([file(head)])).toMatchObject({ status: 2, stdout: '' })
  })
})

describe('an export', () => {
  const lines = records.map((each) => JSON.stringify(each))

  it('is checked line by line', async () => {
    const { status, stdout } = await verify([file(`${lines.join('\r\n')}\n\n`, 'jsonl'), ...pinned])
    expect(status).toBe(0)
    expect(stdout).toBe('11 checked, 0 invalid, 0 unreadable\n')
  })

  it('may hold entries with the record inside, and heads and proofs', async () => {
    const mixed = [{ id: 'entry', attestation: record }, head, inclusion].map((each) => JSON.stringify(each))
    expect(await verify(['-', '--lines', ...pinned], mixed.join('\n'))).toMatchObject({ status: 0 })
  })

  it('says which lines are wrong', async () => {
    const changed = lines.with(3, lines[3]?.replace('ALLOWED', 'BLOCKED') ?? '')
    const { status, stdout } = await verify([file(changed.join('\n'), 'ndjson'), ...pinned])
    expect(status).toBe(1)
    expect(stdout).toMatch(/^invalid .*line 4 .*signature_mismatch/)
    expect(stdout).toContain('11 checked, 1 invalid, 0 unreadable')
  })

  it('that cannot be read whole is not called invalid, nor valid', async () => {
    const broken = [...lines, '{"v":1,"v":1}', '{"v":1}'].join('\n')
    const { status, stdout } = await verify([file(broken, 'jsonl'), ...pinned])
    expect(status).toBe(2)
    expect(stdout).toContain('12 checked, 1 invalid, 1 unreadable')
  })

  it('of nothing is not valid', async () => {
    expect(await verify([file('\n \n', 'jsonl'), ...pinned])).toMatchObject({ status: 2 })
  })
})

describe('what cannot be read', () => {
  const { vectors } = JSON.parse(readFileSync('test/fixtures/attestation/unreadable.json', 'utf8')) as VectorFile
  const shown = vectors.filter(({ name }) => /twice|mark|NaN|UTF|overlong|array|two objects|nothing/.test(name))

  it.each(shown)('$name ends with 2', async (vector) => {
    const { status, stdout } = await verify([file(bytesOfVector(vector)), ...pinned])
    expect(status).toBe(2)
    expect(stdout).toMatch(/^unreadable /)
  })

  it.each<[string, () => string[]]>([
    ['a file that is not there', () => [join(folder, 'none.json'), ...pinned]],
    ['a folder', () => [folder, ...pinned]],
    ['an address that answers 404', () => [`${address}/none`, ...pinned]],
    ['an address where nobody is', () => ['http://127.0.0.1:1/', ...pinned]],
    ['a proof that is none', () => [file(record), ...pinned, '--proof', file('[]')]],
    ['no key', () => [file(record)]],
    ['a key and integrity only', () => [file(record), ...pinned, '--integrity-only']],
    ['a key that is none', () => [file(record), '--key', 'AAAA']],
    ['a key with a line feed', () => [file(record), '--key', `${key.publicKey}\n`]],
    ['no document', () => [...pinned]],
    ['two documents', () => [file(record), file(record), ...pinned]],
    ['an unknown option', () => [file(record), ...pinned, '--fast']],
    ['lines with a proof', () => [file('', 'jsonl'), ...pinned, '--proof', file(inclusion)]],
  ])('%s ends with 2 and says so', async (_, args) => {
    const { status, stdout, stderr } = await verify(args())
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).not.toBe('')
    expect(stderr).not.toContain('went wrong')
  })
})

it('explains itself with --help', async () => {
  const { status, stdout } = await verify(['--help'])
  expect(status).toBe(0)
  expect(stdout).toMatch(/^countersign-verify /)
})
