// The organisation's log as a customer uses it: heads and proofs fetched over HTTP, checked with countersign-verify.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OrganisationHead } from '../../src/evidence/records/tree-head.ts'
import { withKey } from '../support/e2e/deployment.ts'
import { ask, sharedGateway, type Aqta, type ErrorAqta, type Gateway, type GatewayKey } from '../support/e2e/gateway.ts'

type Refusal = { error: { code: string; param?: string; retry_after?: number } }

let gateway: Gateway
let customer: GatewayKey
let pinned: string
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'transparency-'))
  gateway = await sharedGateway()
  customer = await gateway.createKey()
  const response = await gateway.service.fetch('/v1/attestation/public-key')
  pinned = ((await response.json()) as { public_key: string }).public_key
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
})

const get = (path: string, { key } = customer): Promise<Response> =>
  gateway.service.fetch(`/v1/transparency/${path}`, withKey(key))

async function read<T extends object>(path: string): Promise<T> {
  const response = await get(path)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}

/** Asks a model something, and gives back the answer and the id of its attestation. */
async function chat(model = 'gpt-4.1-mini', more: object = {}) {
  const response = await gateway.chat(customer.key, ask(model, more))
  const answer = (await response.json()) as { aqta: Aqta }
  return { status: response.status, answer, id: answer.aqta.attestation.attestation_id }
}

let files = 0
function file(content: object): string {
  const path = join(folder, `${(files += 1)}.json`)
  writeFileSync(path, JSON.stringify(content))
  return path
}

async function verify(document: object, options: Record<string, object[]>, key = pinned): Promise<number> {
  const given = Object.entries(options).flatMap(([name, documents]) => documents.flatMap((each) => [name, file(each)]))
  const run = promisify(execFile)(process.execPath, [
    'scripts/countersign-verify.ts',
    file(document),
    '--key',
    key,
    ...given,
  ])
  return run.then(
    () => 0,
    (failed: unknown) => (failed instanceof Error && 'code' in failed ? Number(failed.code) : -1),
  )
}

describe('an attested answer', () => {
  it('is proven against the newest head, and the head to have grown from an older one', async () => {
    const first = await chat()
    const oldHead = await read<OrganisationHead>('sth')
    const second = await chat('claude-haiku-4-5')
    const head = await read<OrganisationHead>('sth')
    const at = `tree_size=${head.tree_size}`
    const consistency = await read(`consistency?old_size=${oldHead.tree_size}&new_size=${head.tree_size}`)
    expect(head).toMatchObject({ v: 1, org_id: customer.organisationId, public_key: pinned })
    for (const { answer, id } of [first, second]) {
      const proof = await read(`proof/${id}?${at}`)
      expect(await verify(answer, { '--proof': [proof], '--head': [head] })).toBe(0)
      expect(await verify(answer, { '--proof': [proof], '--head': [oldHead] })).toBe(1)
    }
    expect(await verify(consistency, { '--head': [oldHead, head] })).toBe(0)
    expect(await verify(head, {})).toBe(0)
    expect(await verify({ ...head, tree_size: head.tree_size + 1 }, {})).toBe(1)
  })

  it('is not proven by the proof of another', async () => {
    const [one, another] = [await chat(), await chat()]
    const head = await read<OrganisationHead>('sth')
    const proofOf = (id: string) => read(`proof/${id}?tree_size=${head.tree_size}`)
    expect(await verify(one.answer, { '--proof': [await proofOf(one.id)], '--head': [head] })).toBe(0)
    expect(await verify(one.answer, { '--proof': [await proofOf(another.id)], '--head': [head] })).toBe(1)
    expect(await verify(one.answer, { '--proof': [await proofOf(one.id)] })).toBe(1)
  })

  it('that is a refusal is proven in the same way', async () => {
    const caller = await gateway.createKey({ enabled_providers: ['google'] })
    const response = await gateway.chat(caller.key, ask('gpt-4.1-mini'))
    expect(response.status).toBe(403)
    const { aqta } = (await response.json()) as { aqta: ErrorAqta }
    const refusal = await gateway.record(caller, aqta.attestation_id)
    const [proof, head] = [await get(`proof/${aqta.attestation_id}`, caller), await get('sth', caller)]
    const given = { '--proof': [(await proof.json()) as object], '--head': [(await head.json()) as object] }
    expect(await verify(refusal, given)).toBe(0)
  })
})

describe('what is not in the log', () => {
  it('another organisation’s receipt is 404, as one that is nowhere', async () => {
    const { id } = await chat()
    const stranger = await gateway.createKey()
    const refusalOf = async (asked: string): Promise<object> => {
      const response = await get(`proof/${asked}`, stranger)
      const { error } = (await response.json()) as { error: Record<string, unknown> }
      return { ...error, status: response.status, request_id: '' }
    }
    const [own, nowhere] = [await refusalOf(id), await refusalOf(crypto.randomUUID())]
    expect(own).toMatchObject({ status: 404 })
    expect(own).toEqual(nowhere)
  })

  it('a size from before the receipt is 400 that names tree_size', async () => {
    const { id } = await chat()
    const response = await get(`proof/${id}?tree_size=1`)
    const { error } = (await response.json()) as Refusal
    expect([response.status, error.param]).toEqual([400, 'tree_size'])
  })
})
