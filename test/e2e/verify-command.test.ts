// countersign-verify, run as its users run it: on files, addresses and standard input.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { receiptEntry } from '../../src/evidence/records/receipt-entry.ts'
import { describeDecision, type AttestationRecord, signRecord } from '../../src/evidence/records/attestation-record.ts'
import { requestHash } from '../../src/evidence/records/canonical-json.ts'
import { importSigningKey } from '../../src/evidence/records/signing-key.ts'
import { signOrganisationHead, signPublicHead } from '../../src/evidence/records/tree-head.ts'
import { hashLeaf } from '../../src/evidence/tree/merkle-hash.ts'
import { consistencyProof, inclusionProof, rootAt, type NodeReader } from '../../src/evidence/tree/merkle-tree.ts'
import { appendLeaves } from '../support/log-tree.ts'
import { DOCUMENT_KINDS } from '../../src/evidence/verify/document-kind.ts'
import { runVerify } from '../../scripts/verify/run-verify.ts'
import { makeEvidence, publishedKey, REVOKED } from '../fixtures/evidence/invented-evidence.ts'
import { bytesOfVector, type VectorFile } from '../fixtures/attestation/vector.ts'

const key = await importSigningKey(new Uint8Array(32).fill(7))
const other = await importSigningKey(new Uint8Array(32).fill(8))
const request = { model: 'invented-model', messages: [{ role: 'user', content: 'Größe?' }] }

const recordNumbered = (number: number, signer = key): Promise<AttestationRecord> => {
  const decision = {
    attestationId: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
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
const head = await signPublicHead({ treeSize: 11, root: rootAt(11, read), at: Date.UTC(2026, 10, 20, 6) }, key)
const oldPublicHead = await signPublicHead({ treeSize: 7, root: rootAt(7, read), at: Date.UTC(2026, 10, 19) }, key)
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

/** As a process only where standard input is read: starting one takes longer than most checks. */
async function verify(args: readonly string[], input = ''): Promise<Answer> {
  if (args.includes('-')) return verifyByProcess(args, input)
  const answer: Answer = { status: null, stdout: '', stderr: '' }
  answer.status = await runVerify([...args], {
    print: (text) => (answer.stdout += `${text}\n`),
    report: (text) => (answer.stderr += `${text}\n`),
  })
  return answer
}

/** Not spawnSync: the server of this very process must be able to answer. */
function verifyByProcess(args: readonly string[], input = ''): Promise<Answer> {
  const child = spawn(process.execPath, ['scripts/countersign-verify.ts', ...args])
  const answer: Answer = { status: null, stdout: '', stderr: '' }
  child.stdout.on('data', (part) => (answer.stdout += String(part)))
  child.stderr.on('data', (part) => (answer.stderr += String(part)))
  child.stdin.on('error', () => null)
  child.stdin.end(input)
  return new Promise((resolve) => child.on('close', (status) => resolve({ ...answer, status })))
}

const pinned = ['--key', key.publicKey]

describe('the process', () => {
  it.each([
    ['what is valid', () => [file(record), ...pinned], 0, /^valid .*\n$/, /^$/],
    ['what is not', () => [file(record), '--key', other.publicKey], 1, /^invalid .*\n$/, /^$/],
    [
      'what is not understood',
      () => ['--nonsense'],
      2,
      /^$/,
      /^Unknown option '--nonsense'\.\nUsage: node countersign-verify\.mjs .*\n$/,
    ],
  ] as const)('ends by its exit code and says %s', async (_, args, status, stdout, stderr) => {
    const ended = await verifyByProcess(args())
    expect(ended.status).toBe(status)
    expect(ended.stdout).toMatch(stdout)
    expect(ended.stderr).toMatch(stderr)
  })
})

describe('a record', () => {
  it('is valid under the pinned key, from a file, an address and standard input', async () => {
    for (const source of [file(record), `${address}/record`, '-']) {
      const { status, stdout } = await verify([source, ...pinned], JSON.stringify(record))
      expect(status).toBe(0)
      expect(stdout).toMatch(/^valid .*ALLOWED.*pinned key\n$/)
    }
  })

  it('is found in a chat answer', async () => {
    const answer = { object: 'chat.completion', aqta: { status: 'passed', attestation: record } }
    expect(await verify([file(answer), ...pinned])).toMatchObject({ status: 0 })
    expect(await verify([file(answer), ...pinned, '--as', 'answer'])).toMatchObject({ status: 0 })
    expect(await verify([file(answer), ...pinned, '--as', 'record'])).toMatchObject({ status: 1 })
    const changed = { ...answer, aqta: { attestation: { ...record, outcome: 'BLOCKED' } } }
    expect(await verify([file(changed), ...pinned])).toMatchObject({ status: 1 })
  })

  it('is whole and not proven, and says so, when no key is asked for', async () => {
    const forged = file(await recordNumbered(1, other))
    const { status, stdout } = await verify([forged, '--integrity-only'])
    expect(status).toBe(1)
    expect(stdout).toMatch(/^not proven .*ALLOWED.*untrusted key .*anyone can make such a record/)
    const asJson = await verify([forged, '--integrity-only', '--json'])
    const findings = [{ code: 'not_proven', key_source: 'untrusted' }]
    expect(JSON.parse(asJson.stdout)).toMatchObject({ valid: false, invalid: 1, findings })
    expect(await verify([forged, ...pinned])).toMatchObject({ status: 1 })
    expect(await verify([forged, ...pinned, '--key', other.publicKey])).toMatchObject({ status: 0 })
  })

  it('names what is wrong in JSON', async () => {
    const { status, stdout } = await verify([file({ ...record, outcome: 'BLOCKED' }), ...pinned, '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      valid: false,
      verdict: 'invalid',
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
    ['not_proven', () => [file(record), '--proof', file(inclusion)]],
    [
      'signature_mismatch',
      () => [file(record), '--proof', file(inclusion), '--head', file({ ...head, tree_size: 12 })],
    ],
  ])('is refused: %s', async (code, args) => {
    const { status, stdout } = await verify([...args(), ...pinned])
    expect(status).toBe(1)
    expect(stdout).toContain(`(${code})`)
  })

  it('proves nothing by itself, with a key or without', async () => {
    for (const args of [[file(inclusion)], [file(inclusion), ...pinned], [file(consistency), ...pinned]]) {
      const { status, stdout } = await verify(args)
      expect(status).toBe(1)
      expect(stdout).toMatch(/^not proven .*proves nothing without/)
    }
    expect(await verify([file(inclusion), ...pinned, '--head', file(head)])).toMatchObject({ status: 0 })
    expect(await verify([file(inclusion), '--head', file(head)])).toMatchObject({ status: 2 })
  })

  it('joins two heads of one log', async () => {
    const both = [file(consistency), ...pinned, '--head', file(head), '--head']
    expect(await verify([...both, file(oldPublicHead)])).toMatchObject({ status: 0 })
    const { status, stdout } = await verify([...both, file(oldHead)])
    expect(status).toBe(1)
    expect(stdout).toContain('(head_of_another_log)')
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

  it.each(['jsonl', 'txt', 'json'])('has lines by its content, where its name ends in .%s', async (ending) => {
    const forged = [...lines, JSON.stringify({ ...record, outcome: 'BLOCKED' })].join('\n')
    const { status, stdout } = await verify([file(forged, ending), ...pinned])
    expect(status).toBe(1)
    expect(stdout).toContain('line 12')
    expect(stdout).toContain('12 checked, 1 invalid, 0 unreadable')
    expect(await verify(['-', ...pinned], forged)).toEqual({ status, stdout, stderr: '' })
  })

  it('is no document over several lines, whatever its name', async () => {
    const pretty = JSON.stringify(record, null, 2)
    expect(await verify([file(`${pretty}\n`, 'jsonl'), ...pinned])).toMatchObject({ status: 0 })
    expect(await verify([file(pretty.replace('ALLOWED', 'BLOCKED'), 'jsonl'), ...pinned])).toMatchObject({ status: 1 })
  })

  it('may hold entries with the record inside, and heads, which nobody need tell apart', async () => {
    const entries = [{ id: record.attestation_id, attestation: record }, head, record].map((each) =>
      JSON.stringify(each),
    )
    expect(await verify(['-', '--lines', ...pinned], entries.join('\n'))).toMatchObject({ status: 0 })
    const { status, stdout } = await verify(['-', '--lines', ...pinned, '--as', 'entry'], entries.join('\n'))
    expect(status).toBe(1)
    expect(stdout).toContain('3 checked, 2 invalid, 0 unreadable')
  })

  it('proves nothing by proofs, for which lines have no heads, nor by forgeries', async () => {
    const forged = { ...record, outcome: 'BLOCKED', ...inclusion }
    for (const line of [inclusion, forged]) {
      const both = [JSON.stringify(record), JSON.stringify(line)].join('\n')
      const { status, stdout } = await verify(['-', '--lines', ...pinned], both)
      expect(status).toBe(1)
      expect(stdout).toContain('2 checked, 1 invalid, 0 unreadable')
    }
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

const list = (...keys: object[]) => file({ keys })

describe('a list of keys', () => {
  it('trusts each key for its time', async () => {
    const old = publishedKey(key)
    expect(await verify([file(record), '--keys', list(old)])).toMatchObject({ status: 0 })
    expect(await verify([file(head), '--keys', list(old)])).toMatchObject({ status: 0 })
    const ended = publishedKey(key, { status: 'retired', valid_until: '2026-11-20T04:58:59Z' })
    const { status, stdout } = await verify([file(record), '--keys', list(ended)])
    expect(status).toBe(1)
    expect(stdout).toContain('(outside_key_period)')
    expect(await verify([file(await recordNumbered(1, other)), '--keys', list(old)])).toMatchObject({ status: 1 })
  })

  it('believes a record under a revoked key only for a head of another', async () => {
    const revoked = { ...REVOKED, suspected_since: '2026-11-20T06:00:00Z' }
    const keys = ['--keys', list(publishedKey(other), publishedKey(key, revoked))]
    const alone = await verify([file(record), ...keys])
    expect([alone.status, alone.stdout]).toEqual([1, expect.stringContaining('Its key is revoked. (key_revoked)')])
    const at = Date.UTC(2026, 10, 22)
    const signedAgain = await signPublicHead({ treeSize: 11, root: rootAt(11, read), at }, other)
    const logged = ['--proof', file(inclusion), '--head', file(signedAgain)]
    expect(await verify([file(record), ...keys, ...logged])).toMatchObject({ status: 0 })
    expect(await verify([file(record), ...keys, '--proof', file(inclusion), '--head', file(head)])).toMatchObject({
      status: 1,
    })
  })

  it.each<[string, () => string]>([
    ['names a key twice', () => list(publishedKey(key), publishedKey(key))],
    ['names a member twice', () => file(`{"keys":[],"keys":[${JSON.stringify(publishedKey(key))}]}`)],
    ['has a time that is none', () => list(publishedKey(key, { valid_from: '2026-13-01T00:00:00Z' }))],
    ['ends before it begins', () => list(publishedKey(key, { ...REVOKED, valid_until: '2025-01-01T00:00:00Z' }))],
    ['is a record', () => file(record)],
    ['is not there', () => join(folder, 'none.json')],
    ['is at an address', () => `${address}/record`],
    ['is standard input', () => '-'],
  ])('that %s is refused', async (_, source) => {
    const { status, stdout, stderr } = await verify([file(record), '--keys', source()])
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).not.toContain('went wrong')
  })
})

describe('a bundle', () => {
  it('of evidence is checked part by part', async () => {
    const { bundle } = await makeEvidence()
    const { status, stdout } = await verify([file(bundle), ...pinned])
    expect(status).toBe(0)
    expect([...stdout.matchAll(/^valid +(\w+)/gm)].map(([, part]) => part)).toEqual([
      'record',
      'facts',
      'organisation_log',
      'public_log',
      'settlement',
      'keys',
    ])
    const changed = { ...bundle, settlement: { ...bundle.settlement, content: {} } }
    const refused = await verify([file(changed), ...pinned, '--as', 'bundle'])
    expect([refused.status, refused.stdout]).toEqual([1, expect.stringContaining('(not_a_settlement)')])
    expect(await verify([file(bundle), '--key', other.publicKey])).toMatchObject({ status: 1 })
    expect(await verify([file(bundle)])).toMatchObject({ status: 2, stdout: '' })
  })

  it('of a history is judged with one verdict', async () => {
    const history = { heads: [oldPublicHead, head], consistency: [consistency], inclusions: [{ proof: inclusion }] }
    const good = await verify([file(history), ...pinned])
    expect([good.status, good.stdout]).toEqual([0, 'valid       history  2 heads, 1 consistency, 1 inclusions\n'])
    const forked = { ...history, consistency: [{ ...consistency, consistency_path: [] }] }
    const bad = await verify([file(forked), ...pinned, '--json'])
    expect(bad.status).toBe(1)
    expect(JSON.parse(bad.stdout)).toMatchObject({ findings: [{ kind: 'history', code: 'fork' }] })
  })
})

describe('what cannot be read', () => {
  const { vectors } = JSON.parse(readFileSync('test/fixtures/attestation/unreadable.json', 'utf8')) as VectorFile
  const shown = vectors.filter(({ name }) => /twice|mark|NaN|UTF|overlong|array|nothing/.test(name))

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
    ['an unknown kind', () => [file(record), ...pinned, '--as', 'proof']],
    ['a list of keys and integrity only', () => [file(record), '--integrity-only', '--keys', file({})]],
    ['integrity only of a proof', () => [file(record), '--integrity-only', '--proof', file(inclusion)]],
    ['integrity only of a head', () => [file(head), '--integrity-only']],
    ['a head without its proof', () => [file(record), ...pinned, '--head', file(head)]],
    ['a request beside a head', () => [file(head), ...pinned, '--request', file(request)]],
    ['lines with a proof', () => [file('{}\n{}'), ...pinned, '--proof', file(inclusion)]],
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
  expect(stdout).toMatch(/^Usage: node countersign-verify\.mjs /)
  for (const kind of DOCUMENT_KINDS) expect(stdout).toMatch(new RegExp(`^  ${kind} +\\w`, 'm'))
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
})
