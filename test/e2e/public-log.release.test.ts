// The public log as anyone sees it: an attested answer is proven by it, its tiles make its root, and the command that checks
// them agrees. No key is needed for any of it.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { receiptEntry } from '../../src/evidence/records/receipt-entry.ts'
import { hashLeaf } from '../../src/evidence/tree/merkle-hash.ts'
import { rootAt } from '../../src/evidence/tree/merkle-tree.ts'
import { appendLeaves } from '../support/log-tree.ts'
import type { AttestationRecord } from '../../src/evidence/records/attestation-record.ts'
import type { PublicHead } from '../../src/evidence/records/tree-head.ts'
import { withKey } from '../support/e2e/deployment.ts'
import { ask, startGateway, type StartedGateway, type GatewayKey } from '../support/e2e/gateway.ts'
import { until } from '../support/until.ts'

let gateway: StartedGateway
let customer: GatewayKey
let stranger: GatewayKey
let pinned: string
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'public-log-'))
  gateway = await startGateway()
  customer = await gateway.createKey()
  stranger = await gateway.createKey({ enabled_providers: ['google'] })
  const response = await gateway.service.fetch('/v1/attestation/public-key')
  pinned = ((await response.json()) as { public_key: string }).public_key
})
afterAll(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true })
})

const get = (path: string): Promise<Response> => gateway.service.fetch(`/v1/public/transparency/${path}`)

async function read<T extends object>(path: string): Promise<T> {
  const response = await get(path)
  expect([path, response.status]).toEqual([path, 200])
  return (await response.json()) as T
}

/** Asks a model something, and returns the record of the decision. */
async function chat(from: GatewayKey, model = 'gpt-4.1-mini'): Promise<AttestationRecord> {
  const response = await gateway.chat(from.key, ask(model))
  await response.text()
  return gateway.record(from, response.headers.get('x-aqta-attestation-id') ?? '')
}

/** A receipt is handed over after five seconds and served soon after; the log promises no more than 60. */
async function whenLogged({ attestation_id: id }: AttestationRecord): Promise<void> {
  for (let attempt = 0; attempt < 480; attempt += 1) {
    const response = await get(`proof/${id}`)
    if (response.status === 200) return
    expect([response.status, response.headers.get('retry-after')]).toEqual([404, '10'])
    await new Promise((resolve) => {
      setTimeout(resolve, 250)
    })
  }
  throw new Error('not in the public log after two minutes')
}

let files = 0
function file(content: object): string {
  const path = join(folder, `${(files += 1)}.json`)
  writeFileSync(path, JSON.stringify(content))
  return path
}

async function readBundle(id: string): Promise<object> {
  const response = await gateway.service.fetch(`/v1/attestations/${id}?bundle=true`, withKey(customer.key))
  expect(response.status).toBe(200)
  return (await response.json()) as object
}

async function verify(document: object, options: Record<string, object[]>, trust = ['--key', pinned]): Promise<number> {
  const given = Object.entries(options).flatMap(([name, documents]) => documents.flatMap((each) => [name, file(each)]))
  const line = ['scripts/countersign-verify.ts', file(document), ...trust, ...given]
  return promisify(execFile)(process.execPath, line).then(
    () => 0,
    (failed: unknown) => (failed instanceof Error && 'code' in failed ? Number(failed.code) : -1),
  )
}

/** The leaves of the log at a head, from its tiles. */
async function leavesOf({ tree_size: size }: PublicHead): Promise<Uint8Array[]> {
  expect(size).toBeLessThan(256)
  const response = await get(`tile/0/000.p/${size}`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  return Array.from({ length: size }, (_, at) => bytes.slice(at * 32, (at + 1) * 32))
}

function rootOver(leaves: readonly Uint8Array[]): string {
  const nodes = new Map<string, Uint8Array>()
  const readNode = (level: number, index: number): Uint8Array => nodes.get(`${level}/${index}`) ?? new Uint8Array()
  for (const { level, index, hash } of appendLeaves(0, leaves, readNode)) nodes.set(`${level}/${index}`, hash)
  return Buffer.from(rootAt(leaves.length, readNode)).toString('hex')
}

describe('the public log', () => {
  it('proves every decision of every organisation, and holds nothing else', { timeout: 300_000 }, async () => {
    const empty = await read<PublicHead>('sth')
    expect(await verify(empty, {})).toBe(0)

    const first = await chat(customer)
    await gateway.settlements(customer.organisationId)
    await whenLogged(first)
    const old = await read<PublicHead>('sth')
    const blocked = await chat(stranger)
    const second = await chat(customer, 'claude-haiku-4-5')
    await gateway.service.fetch('/v1/specialties', withKey('vk_test_invented'))
    await whenLogged(second)
    await whenLogged(blocked)
    await gateway.settlements(customer.organisationId, 2)
    // Longer than the Worker keeps a head in memory.
    const head = await until(
      'the head covers three leaves',
      () => read<PublicHead>('sth'),
      (latest) => latest.tree_size === 3,
    )

    expect(head).toMatchObject({ v: 1, log: 'public', tree_size: 3, public_key: pinned })
    for (const record of [first, blocked, second]) {
      const proof = await read(`proof/${record.attestation_id}?tree_size=${head.tree_size}`)
      expect(await verify(record, { '--proof': [proof], '--head': [head] })).toBe(0)
      expect(await verify(record, { '--proof': [proof], '--head': [old] })).toBe(1)
    }
    const swapped = await read(`proof/${second.attestation_id}?tree_size=${head.tree_size}`)
    expect(await verify(first, { '--proof': [swapped], '--head': [head] })).toBe(1)
    const growth = await read(`consistency?old_size=${old.tree_size}&new_size=${head.tree_size}`)
    expect(await verify(growth, { '--head': [old, head] })).toBe(0)

    const bundle = await readBundle(first.attestation_id)
    expect(bundle).toMatchObject({
      settlement: { content: { ended: 'completed' } },
      public_log: { head: { log: 'public' } },
    })
    expect(await verify(bundle, {})).toBe(0)
    expect(await verify({ ...bundle, record: second }, {})).toBe(1)
    const kept = await gateway.service.fetch('/v1/attestation/keys')
    expect(await verify(bundle, {}, ['--keys', file((await kept.json()) as object)])).toBe(0)

    const leaves = await leavesOf(head)
    expect(rootOver(leaves)).toBe(head.root_hash)
    const receipts = [first, blocked, second].map((record) => hashLeaf(receiptEntry(record)))
    expect(new Set(leaves.map(String))).toEqual(new Set(receipts.map(String)))
  })

  it.each([
    ['proof/0d3c1f4e-7b56-4b0e-8f21-5a9f3c2d1e00', 404],
    ['proof/att_1', 400],
    ['consistency', 400],
    ['consistency?old_size=1000000', 400],
    ['tile/0/000', 404],
    ['tile/0/999', 404],
  ])('answers GET %s with %i', async (path, status) => {
    expect((await get(path)).status).toBe(status)
  })
})

describe('the anchor of an organisation’s log', () => {
  it(
    'is in a bundle soon after its period is over, and the command says how far it goes',
    { timeout: 120_000 },
    async () => {
      const anchored = await startGateway({ ANCHOR_PERIOD_MS: '1000' })
      try {
        const { key, organisationId } = await anchored.createKey()
        const answer = await anchored.chat(key, ask('gpt-4.1-mini'))
        const id = answer.headers.get('x-aqta-attestation-id')
        await answer.text()
        await anchored.settlements(organisationId)
        const bundle = async (): Promise<Record<string, unknown>> => {
          const response = await anchored.service.fetch(`/v1/attestations/${id}?bundle=true`, withKey(key))
          return (await response.json()) as Record<string, unknown>
        }
        const found = await until('the bundle has an anchor', bundle, ({ anchor }) => anchor !== null)
        const trusted = ['--key', await anchored.publicKey()]
        const said = await promisify(execFile)(process.execPath, [
          'scripts/countersign-verify.ts',
          file(found),
          ...trusted,
        ])
        // A note where the period was over between the decision and its settlement.
        expect(said.stdout).toMatch(/^(?:valid|note) +anchor +org_\S+, up to \d+ of \d+ leaves, as of \S+Z/m)
        const { anchor: _, ...stripped } = found
        const others = await promisify(execFile)(process.execPath, [
          'scripts/countersign-verify.ts',
          file(stripped),
          ...trusted,
        ])
        expect(others.stdout).toMatch(/^note +anchor .*\(not_anchored\)$/m)
      } finally {
        await anchored.close()
      }
    },
  )
})
