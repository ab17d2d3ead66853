// What the log says that it covers, against the built Worker: a good call of each operation leaves exactly the entries that are
// declared, and each error leaves one or none, in the counter that is named.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DECIDES, READS, WRITES_NONE, type DecidingOperation } from '../../src/organisation/coverage/surface.ts'
import { inlineReferences } from '../../src/pages/reference/inline-references.ts'
import { deploy, postJson, withKey, type Deployment } from '../support/e2e/deployment.ts'
import { startGateway, type GatewayKey, type StartedGateway } from '../support/e2e/gateway.ts'
import { signInAs } from '../support/e2e/members.ts'
import { until } from '../support/until.ts'
import { WRITTEN } from '../support/written-errors.ts'

const LETTER = 'Dear Doctor, please see this 58 year old man with palpitations on exertion. Many thanks.'
const [EXAMPLE] = JSON.parse(readFileSync('data/examples.json', 'utf8')) as { text: string }[]

let gateway: StartedGateway
/** No provider has a key there. */
let bare: Deployment
let codesOf: Map<string, string[]>

beforeAll(async () => {
  gateway = await startGateway({ PERPLEXITY_API_KEY: '' }, { sample: true })
  bare = await deploy()
  const document = await (await gateway.service.fetch('/v1/openapi.json')).json()
  type Operation = { operationId: string; responses: Record<string, { 'x-error-codes'?: string[] }> }
  const { paths } = inlineReferences(document as { paths: Record<string, Record<string, Operation>> })
  codesOf = new Map(
    Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ operationId, responses }) => [
        operationId,
        [...new Set(Object.values(responses).flatMap(({ 'x-error-codes': codes = [] }) => codes))],
      ]),
  )
})
beforeEach(() => gateway.emulator.reset())
afterAll(async () => {
  await gateway.close()
  await bare.close()
})

/** A call that is ready to be sent, of an organisation on a service. */
type Ready = { organisationId: string; send: () => Promise<Response>; at?: Deployment }

type Provoke = () => Promise<Ready>

/** By code. A text: why nothing can provoke it here. */
type Provoked = Record<string, Provoke | string>

type Sent = { body?: unknown; headers?: Record<string, string>; text?: string }

const routeOf = (operation: DecidingOperation): string =>
  DECIDES.find((one) => one.operation === operation)?.route.replace('POST ', '') ?? ''

function post(
  operation: DecidingOperation,
  { key, organisationId }: GatewayKey,
  { body, headers, text }: Sent,
  at = gateway.service,
): Ready {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text ?? JSON.stringify(body),
  }
  return { organisationId, at, send: () => at.fetch(routeOf(operation), withKey(key, init)) }
}

/** The call was sent before, and has ended. */
async function after(first: Ready, next: Ready): Promise<Ready> {
  await (await first.send()).text()
  await settled(first.organisationId)
  return next
}

const settled = (organisationId: string) =>
  until(
    'every call is settled',
    async () => {
      const kinds = (await gateway.service.ledger(organisationId)).map(({ kind }) => kind)
      return kinds.filter((kind) => kind === 'settlement').length
    },
    (count) => count > 0,
  )

async function close({ organisationId }: GatewayKey): Promise<void> {
  const { headers } = await signInAs(gateway.service, organisationId, 'owner')
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
  const answer = await gateway.service.fetch('/api/settings/erasure', {
    ...init,
    body: JSON.stringify({ name: 'A test practice' }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

type CallOperation = 'createChatCompletion' | 'createMessage' | 'createResponse'

let questions = 0

/** A request that no other test sends. */
function bodyOf(operation: CallOperation, more: object = {}, said = `Question ${(questions += 1)}`): object {
  const asked = operation === 'createResponse' ? { input: said } : { messages: [{ role: 'user', content: said }] }
  const limit = operation === 'createMessage' ? { max_tokens: 256 } : {}
  return { model: 'gpt-4.1-mini', ...limit, ...asked, ...more }
}

type Setup = { organisation?: object; key?: object; policy?: object }

async function keyOf({ organisation, key, policy }: Setup = {}): Promise<GatewayKey> {
  const created = await gateway.createKey(organisation, { scopes: ['chat', 'manage'], ...key })
  if (policy !== undefined) await gateway.putPolicy(created, policy)
  return created
}

const referralKey = (key: object = {}) => gateway.createKey({}, { prefix: 'vk_live_', ...key })
const sandboxKey = (key: object = {}) => referralKey({ prefix: 'vk_test_', ...key })

/** A key that has had its only call of the minute. */
async function spent(created: GatewayKey, path: string): Promise<GatewayKey> {
  await gateway.service.fetch(path, withKey(created.key))
  return created
}

const CRASH = 'only a fault of the code is answered so'

/** The most bytes of a body, and some more. */
const TOO_LARGE = 4_400_000

const callNone = (operation: CallOperation): Provoked => {
  const sent = async (setup: Setup, more: Sent = {}) =>
    post(operation, await keyOf(setup), { body: bodyOf(operation), ...more })
  const repeated = async (other: boolean) => {
    const key = await keyOf()
    const body = bodyOf(operation)
    const headers = { 'idempotency-key': 'once' }
    const again = other ? bodyOf(operation) : body
    return after(post(operation, key, { body, headers }), post(operation, key, { body: again, headers }))
  }
  return {
    invalid_api_key: async () =>
      post(operation, { ...(await keyOf()), key: 'aqta_wrong' }, { body: bodyOf(operation) }),
    invalid_request: () => sent({}, { body: bodyOf(operation, { temperature: 'x' }) }),
    missing_parameter: () => sent({}, { body: {} }),
    model_not_found: () => sent({}, { body: bodyOf(operation, { model: 'no-such-model' }) }),
    payload_too_large: () => sent({}, { text: JSON.stringify({ model: 'x'.repeat(TOO_LARGE) }) }),
    unsupported_media_type: () => sent({}, { headers: { 'content-type': 'text/plain' } }),
    conflict: () => repeated(false),
    idempotency_conflict: () => repeated(true),
    rate_limit_exceeded: async () => {
      const key = await spent(await keyOf({ key: { requests_per_minute: 1 } }), '/v1/models')
      return post(operation, key, { body: bodyOf(operation) })
    },
    quota_exceeded: () => sent({ organisation: { monthly_budget_eur: 0 } }),
    scope_required: () => sent({ key: { scopes: ['manage'] } }),
    organisation_closing: async () => {
      const key = await keyOf()
      await close(key)
      return post(operation, key, { body: bodyOf(operation) })
    },
    service_unavailable: () => sent({}, { body: bodyOf(operation, { model: 'sonar' }) }),
    internal_error: CRASH,
  }
}

const callWritten = (operation: CallOperation): Provoked => {
  const sent = async (setup: Setup, more: Sent = {}) =>
    post(operation, await keyOf(setup), { body: bodyOf(operation), ...more })
  const failing =
    (behaviour: string, headers = {}) =>
    () => {
      gateway.emulator.behave('openai', Array<string>(4).fill(behaviour))
      return sent({}, { headers })
    }
  return {
    answer_blocked: () => {
      gateway.emulator.behave('openai', ['echo'])
      const policy = { pii_scan: { default: 'ignore', answers: { default: 'block' } } }
      return sent({ policy }, { body: bodyOf(operation, {}, 'Write to joe.bloggs@example.ie') })
    },
    approval_required: () => sent({ policy: { human_approval: { when: [{ models: ['gpt-4.1-mini'] }] } } }),
    invalid_request: failing('context'),
    loop_detected: async () => {
      const call = post(operation, await keyOf({ policy: { loop_guard: { repeats: 2 } } }), { body: bodyOf(operation) })
      return after(call, await after(call, call))
    },
    model_not_allowed: () => sent({ organisation: { enabled_providers: ['google'] } }),
    policy_blocked: () => sent({ policy: { use_case_guard: { required: true } } }),
    provider_error: failing('500'),
    provider_timeout: failing('never', { 'x-aqta-deadline-ms': '1500' }),
    rate_limit_exceeded: failing('429,1'),
    service_unavailable: failing('503,1'),
    internal_error: CRASH,
  }
}

const read = (key: GatewayKey, body: object, more: Sent = {}): Ready => post('readReferral', key, { body, ...more })

/** A live key and the signed record of a reading, for the choice after it. */
async function reading(): Promise<{ key: GatewayKey; record: unknown }> {
  const key = await referralKey()
  const answer = (await (await read(key, { text: LETTER }).send()).json()) as { record: { signed: unknown } }
  return { key, record: answer.record.signed }
}

const choose = (key: GatewayKey, record: unknown, specialty: string | null = 'Cardiology'): Ready =>
  post('recordOutcome', key, { body: { record, chosen: { specialty }, role: 'referrer' } })

const referralNone = (
  operation: 'readReferral' | 'recordOutcome',
  good: () => Promise<object>,
): Record<string, Provoke> => {
  const sent = async (key: GatewayKey, more: Sent = {}) => post(operation, key, { body: await good(), ...more })
  return {
    invalid_api_key: async () => sent({ ...(await referralKey()), key: 'vk_live_wrong' }),
    payload_too_large: async () => sent(await sandboxKey(), { text: JSON.stringify({ text: 'x'.repeat(70_000) }) }),
    unsupported_media_type: async () => sent(await sandboxKey(), { headers: { 'content-type': 'text/plain' } }),
    rate_limit_exceeded: async () => sent(await spent(await sandboxKey({ requests_per_minute: 1 }), '/v1/datasets')),
    scope_required: async () => sent(await sandboxKey({ scopes: ['waiting-lists:read'] })),
    organisation_closing: async () => {
      const key = await referralKey()
      await close(key)
      return sent(key)
    },
  }
}

const NONE: Record<DecidingOperation, Provoked> = {
  createChatCompletion: callNone('createChatCompletion'),
  createMessage: callNone('createMessage'),
  createResponse: callNone('createResponse'),
  readReferral: {
    ...referralNone('readReferral', () => Promise.resolve({ text: EXAMPLE?.text })),
    invalid_request: async () => read(await sandboxKey(), { text: 5 }),
    text_missing: async () => read(await sandboxKey(), {}),
    text_too_long: async () => read(await sandboxKey(), { text: 'a'.repeat(4001) }),
    not_an_example: async () => read(await sandboxKey(), { text: LETTER }),
    conflict: async () => {
      const key = await referralKey()
      const call = read(key, { text: LETTER }, { headers: { 'idempotency-key': 'once' } })
      return after(call, call)
    },
    service_unavailable: async () => {
      const { key, ...created } = await bare.createKey({ prefix: 'vk_live_' })
      return post('readReferral', { ...created, key }, { body: { text: LETTER } }, bare)
    },
    internal_error: CRASH,
  },
  recordOutcome: {
    ...referralNone('recordOutcome', async () => ({ record: {}, chosen: { specialty: null }, role: 'referrer' })),
    invalid_request: async () => {
      const { key, record } = await reading()
      return choose(key, { ...(record as object), specialty: 'Neurology' })
    },
    missing_parameter: async () => post('recordOutcome', await referralKey(), { body: {} }),
    not_found: async () => choose(await referralKey(), (await reading()).record),
    specialty_not_published: async () => {
      const { key, record } = await reading()
      return choose(key, record, 'Alchemy')
    },
    conflict: async () => {
      const { key, record } = await reading()
      return after(choose(key, record), choose(key, record, null))
    },
    service_unavailable: 'only a service without a signing key, or whose object is away, answers so',
    internal_error: CRASH,
  },
}

const AFTER_READING = 'only when the object is away between the two entries of a reading'

const AFTER: Record<DecidingOperation, Provoked> = {
  createChatCompletion: callWritten('createChatCompletion'),
  createMessage: callWritten('createMessage'),
  createResponse: callWritten('createResponse'),
  readReferral: {
    identifier_found: async () => read(await sandboxKey(), { text: 'This man, PPS number 1234567FA, has chest pain.' }),
    unknown_action: async () => read(await sandboxKey(), { action: 'prescribe', text: 'x' }),
    service_unavailable: AFTER_READING,
    internal_error: CRASH,
  },
  recordOutcome: {
    service_unavailable: 'only when the signing key is gone between the entry and the signature',
    internal_error: CRASH,
  },
}

/** Written at the end of an hour or a month, whoever calls then. */
const OF_THE_HOUR = new Set(['hour_counts', 'usage_closed', 'concordance_closed'])

type Left = { status: number; code: string | undefined; kinds: unknown[]; counted: string[] }

const nameOfCounter = (outcome: string): string => (outcome === 'counted' ? 'other_calls' : `refused.${outcome}`)

/** Sends the call, and returns what it left once the log has grown by so many entries. */
async function leftBy({ organisationId, send, at = gateway.service }: Ready, entries = 0): Promise<Left> {
  const kindsOf = async () =>
    (await at.ledger(organisationId)).map(({ kind }) => kind).filter((kind) => !OF_THE_HOUR.has(String(kind)))
  const [before, calls] = [(await kindsOf()).length, (await at.callsWithoutEntry(organisationId)).length]
  const response = await send()
  const text = await response.text()
  const kinds = await until('the entries are there', kindsOf, (now) => now.length >= before + entries)
  const counted = (await at.callsWithoutEntry(organisationId)).slice(calls).map(nameOfCounter)
  const code = response.ok ? undefined : codeIn(text)
  return { status: response.status, code, kinds: kinds.slice(before), counted }
}

const codeIn = (text: string): string | undefined => {
  const { error, code } = JSON.parse(text) as { error?: { code?: string }; code?: string }
  return error?.code ?? code
}

const sorted = (names: Iterable<string>): string[] => [...names].toSorted()

/** The cases of a table that can be provoked. */
const provokedIn = (table: typeof NONE) =>
  Object.entries(table).flatMap(([operation, codes]) =>
    Object.entries(codes).flatMap(([code, provoke]) =>
      typeof provoke === 'string' ? [] : [[operation as DecidingOperation, code, provoke] as const],
    ),
  )

describe('the tables of this test', () => {
  it.each(DECIDES.map(({ operation }) => operation))('have every error of %s that leaves no entry', (operation) => {
    const declared = codesOf.get(operation) ?? []
    const none = new Set<string>(WRITES_NONE.flatMap(({ codes }) => codes))
    expect(sorted(Object.keys(NONE[operation]))).toEqual(sorted(declared.filter((code) => none.has(code))))
  })

  it.each(DECIDES.map(({ operation }) => operation))('have every error of %s that leaves one', (operation) => {
    expect(sorted(Object.keys(AFTER[operation]))).toEqual(sorted(WRITTEN[operation]))
  })
})

describe('a good call', () => {
  const GOOD: Record<DecidingOperation, Provoke> = {
    createChatCompletion: async () =>
      post('createChatCompletion', await keyOf(), { body: bodyOf('createChatCompletion') }),
    createMessage: async () => post('createMessage', await keyOf(), { body: bodyOf('createMessage') }),
    createResponse: async () => post('createResponse', await keyOf(), { body: bodyOf('createResponse') }),
    readReferral: async () => read(await referralKey(), { text: LETTER }),
    recordOutcome: async () => {
      const { key, record } = await reading()
      return choose(key, record)
    },
  }

  it.each(DECIDES.map(({ operation, writes }) => [operation, writes] as const))(
    'of %s leaves %s, and before the first the entry of this build',
    async (operation, writes) => {
      const ready = await GOOD[operation]()
      const isFirst = operation !== 'recordOutcome'
      const expected = [...(isFirst ? ['coverage'] : []), ...writes]
      expect(await leftBy(ready, expected.length)).toMatchObject({ status: 200, kinds: expected })
      if (!isFirst) return
      expect(await leftBy(ready, writes.length)).toMatchObject({ status: 200, kinds: writes })
    },
  )

  it('of an operation that reads leaves none, and is counted', async () => {
    const gatewayKey = await keyOf()
    const first = post('createChatCompletion', gatewayKey, { body: bodyOf('createChatCompletion') })
    const answer = await first.send()
    const id = answer.headers.get('x-aqta-attestation-id') ?? ''
    await answer.text()
    await settled(gatewayKey.organisationId)
    await gateway.putPolicy(gatewayKey, { human_approval: { when: [{ models: ['gpt-4.1-mini'] }] } })
    const waiting = await post('createResponse', gatewayKey, { body: bodyOf('createResponse') }).send()
    const { error } = (await waiting.json()) as { error: { approval_id: string } }
    const { key: live } = await reading()
    const count = { method: 'POST', body: JSON.stringify(bodyOf('createMessage')) }
    const PATHS: Record<(typeof READS)[number], [key: GatewayKey, path: string, init?: RequestInit]> = {
      countTokens: [gatewayKey, '/v1/messages/count_tokens', count],
      listDatasets: [live, '/v1/datasets'],
      listExamples: [live, '/v1/examples'],
      listModels: [gatewayKey, '/v1/models'],
      listSpecialties: [live, '/v1/specialties'],
      listWaitingLists: [live, '/v1/waiting-lists?specialty=Cardiology'],
      proveConsistency: [gatewayKey, '/v1/transparency/consistency?old_size=1'],
      proveInclusion: [gatewayKey, `/v1/transparency/proof/${id}`],
      proveReading: [live, '/v1/referral/log/1'],
      readAttestation: [gatewayKey, `/v1/attestations/${id}`],
      readModel: [gatewayKey, '/v1/models/gpt-4.1-mini'],
      readOwnApproval: [gatewayKey, `/v1/approvals/${error.approval_id}`],
      readTreeHead: [gatewayKey, '/v1/transparency/sth'],
    }
    for (const operation of READS) {
      const [key, path, init = {}] = PATHS[operation]
      const headers = { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' }
      const send = () => gateway.service.fetch(path, { headers, ...init })
      const left = await leftBy({ organisationId: key.organisationId, send })
      expect(left, operation).toMatchObject({ status: 200, kinds: [], counted: ['other_calls'] })
    }
    const head = (await (await gateway.service.fetch('/v1/transparency/sth', withKey(gatewayKey.key))).json()) as object
    expect(head).toMatchObject({ tree_size: (await gateway.service.ledger(gatewayKey.organisationId)).length })
  })
})

describe('an answer', () => {
  it('that holds an action leaves an entry, and has no code', async () => {
    const left = await leftBy(read(await sandboxKey(), { action: 'book_appointment' }), 2)
    expect(left).toEqual({ status: 409, code: undefined, kinds: ['coverage', 'referral_decision'], counted: [] })
  })

  async function repeated(operation: CallOperation): Promise<Ready> {
    const key = await keyOf({ organisation: { idempotent_replays: true } })
    const call = post(operation, key, { body: bodyOf(operation), headers: { 'idempotency-key': 'once' } })
    return after(call, call)
  }

  const REPEATS: Record<string, Provoke> = {
    createChatCompletion: () => repeated('createChatCompletion'),
    createResponse: () => repeated('createResponse'),
    recordOutcome: async () => {
      const { key, record } = await reading()
      return after(choose(key, record), choose(key, record))
    },
  }

  it.each(Object.entries(REPEATS))('of %s that is given again leaves none, and is counted', async (_, provoke) => {
    expect(await leftBy(await provoke())).toMatchObject({ status: 200, kinds: [], counted: ['other_calls'] })
  })
})

describe('an error that leaves no entry', () => {
  it.each(provokedIn(NONE))('of %s: %s', async (_, code, provoke) => {
    const row = WRITES_NONE.find(({ codes }) => (codes as readonly string[]).includes(code))
    const counters = row?.counted?.split('+') ?? []
    const left = await leftBy(await provoke())
    expect([left.code, left.kinds]).toEqual([code, []])
    expect(left.counted.filter((name) => !counters.includes(name))).toEqual([])
    // Here none is answered from memory, and each reaches the organisation.
    expect(left.counted.length).toBe(counters.length === 0 ? 0 : 1)
  })

  it('of recordOutcome with a sandbox key is counted as another call', async () => {
    const { record } = await reading()
    expect(await leftBy(choose(await sandboxKey(), record))).toMatchObject({
      code: 'scope_required',
      kinds: [],
      counted: ['other_calls'],
    })
  })

  it('is counted nowhere if there is no such operation', async () => {
    const { key, organisationId } = await keyOf()
    for (const [path, code] of [
      ['/v1/embeddings', 'not_found'],
      ['/v1/models', 'method_not_allowed'],
    ] as const) {
      const send = () => fetch(`${gateway.service.url}${path}`, postJson(key, {}))
      expect(await leftBy({ organisationId, send })).toMatchObject({ code, kinds: [], counted: [] })
    }
  })
})

describe('an error that leaves an entry', () => {
  it.each(provokedIn(AFTER))('of %s: %s', async (operation, code, provoke) => {
    const left = await leftBy(await provoke(), 1)
    expect(left.code).toBe(code)
    const decision = DECIDES.find((one) => one.operation === operation)?.writes[0]
    expect(left.kinds.find((kind) => kind !== 'coverage')).toBe(decision)
    expect(left.counted).toEqual([])
  })
})
