// Rules that the whole OpenAPI document keeps. test/architecture/api.test.ts pins its facts.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { beforeAll, describe, expect, it } from 'vitest'
import { inlineReferences } from '../../src/pages/reference/inline-references.ts'
import { verifyRecord } from '../../src/evidence/records/verify-record.ts'
import { openValidators } from '../support/e2e/conformance.ts'
import { type Deployment } from '../support/e2e/deployment.ts'
import { sharedGateway } from '../support/e2e/gateway.ts'
import { signInAs } from '../support/e2e/members.ts'

type Declared = {
  headers?: Record<string, { required?: boolean }>
  content?: Record<string, { schema: { $ref?: string; anyOf?: { $ref?: string }[] }; example?: unknown }>
  'x-error-codes'?: string[]
}
type Operation = {
  operationId: string
  summary: string
  tags: string[]
  security?: object[]
  responses: Record<string, Declared>
}
type Schema = { properties?: Record<string, unknown> }

type Document = {
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
const REFERRAL = '/v1/referral/openapi.json'

let service: Deployment
let document: Document

const fetchDocument = async (path: string): Promise<Document> => (await (await service.fetch(path)).json()) as Document

beforeAll(async () => {
  ;({ service } = await sharedGateway())
  document = await fetchDocument('/v1/openapi.json')
})

const operations = (of = document): [string, Operation][] =>
  Object.entries(inlineReferences(of).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  )

type SignedRecord = { attestation_id: string; public_key: string; signature: string }

const isSignedRecord = (value: object): value is SignedRecord =>
  ['attestation_id', 'public_key', 'signature'].every(
    (name) => name in value && typeof value[name as never] === 'string',
  )

const recordsIn = (value: unknown): SignedRecord[] => {
  if (typeof value !== 'object' || value === null) return []
  return [...(isSignedRecord(value) ? [value] : []), ...Object.values(value).flatMap(recordsIn)]
}

describe('the OpenAPI document', () => {
  it.each(['/v1/openapi.json', REFERRAL])('lints without an error or a warning: %s', async (served) => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-openapi-'))
    try {
      const path = join(folder, 'openapi.json')
      await writeFile(path, JSON.stringify(await fetchDocument(served)))
      const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
      const lint = promisify(execFile)('redocly', ['lint', path, '--config', 'redocly.yaml', '--format', 'json'], {
        env,
      })
      const { stdout } = await lint.catch((failed: { stdout: string }) => failed)
      const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: { message: string }[] }
      expect(problems.map(({ message }) => message)).toEqual([])
      expect(totals).toMatchObject({ errors: 0, warnings: 0 })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('lets browsers read every header that an answer under /v1 declares', async () => {
    const { headers } = await service.fetch('/v1/openapi.json')
    const exposed = headers.get('access-control-expose-headers')?.split(', ')
    const declared = operations()
      .filter(([name]) => name.includes(' /v1/'))
      .flatMap(([, { responses }]) => Object.values(responses).flatMap((answer) => Object.keys(answer.headers ?? {})))
    expect(declared).toContain('x-aqta-model')
    expect([...new Set(declared)].filter((name) => exposed?.includes(name) !== true)).toEqual([])
  })

  it.each(['/v1/openapi.json', REFERRAL])('is not sent again to a caller who has it: %s', async (path) => {
    const etag = (await service.fetch(path)).headers.get('etag') ?? ''
    for (const tags of [etag, `W/${etag}`, `"another", ${etag}`, '*']) {
      const known = await service.fetch(path, { headers: { 'if-none-match': tags } })
      expect([tags, known.status, known.headers.get('etag'), await known.text()]).toEqual([tags, 304, etag, ''])
    }
    const changed = await service.fetch(path, { headers: { 'if-none-match': '"another"' } })
    expect([changed.status, await changed.json()]).toEqual([200, await fetchDocument(path)])
  })

  it('gives every operation an id of its own, and a summary that is short enough for a menu', () => {
    const ids = operations().map(([, { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [name, { summary }] of operations()) expect(summary, name).toMatch(/^.{3,30}$/)
  })

  it('lists the group of every operation', () => {
    const listed = new Set(document.tags.map(({ name }) => name))
    expect(operations().flatMap(([, { tags }]) => tags.filter((tag) => !listed.has(tag)))).toEqual([])
  })

  it('shows of every answer of success an example that fits its schema and leaves nothing out', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    ;(addFormats as unknown as { default: (ajv: Ajv2020) => void }).default(ajv)
    const faults = operations().flatMap(([name, { responses }]) =>
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .flatMap(([, { content = {} }]) => Object.entries(content))
        .filter(([type]) => type.includes('json'))
        .flatMap(([, { schema, example }]) => {
          const validate = ajv.compile({ ...schema, components: document.components })
          if (!validate(example)) return [[name, validate.errors]]
          return JSON.stringify(example).includes('…') ? [[name, 'has …']] : []
        }),
    )
    expect(faults).toEqual([])
  })

  it('has only records in its examples whose signatures are valid', () => {
    const records = recordsIn(document.paths)
    expect(records.length).toBeGreaterThan(5)
    expect(records.filter((record) => !verifyRecord(record, { keys: [record.public_key] }).valid)).toEqual([])
  })

  it('needs a key or a token everywhere but where the contract says', () => {
    const open = operations().filter(([, { security }]) => security?.length === 0)
    expect(open.map(([name]) => name).toSorted()).toEqual([
      'get /api/auth/oauth/callback',
      'get /api/auth/providers',
      'get /healthz',
      'get /v1/attestation/keys',
      'get /v1/attestation/public-key',
      'get /v1/erasures/{erasure_id}',
      'get /v1/files/{sha256}',
      'get /v1/openapi.json',
      'get /v1/public/transparency/checkpoint',
      'get /v1/public/transparency/consistency',
      'get /v1/public/transparency/heads',
      'get /v1/public/transparency/proof/{attestation_id}',
      'get /v1/public/transparency/sth',
      'get /v1/public/transparency/tile/{level}/{index}',
      'get /v1/referral/openapi.json',
      'get /v1/sandbox-key',
      'post /api/auth/factor-reset',
      'post /api/auth/factor-reset/confirm',
      'post /api/auth/login',
      'post /api/auth/login/second-factor',
      'post /api/auth/logout',
      'post /api/auth/oauth-signin',
      'post /api/auth/passkeys/options',
      'post /api/auth/passkeys/sign-in',
      'post /api/auth/password-reset',
      'post /api/auth/password-reset/confirm',
      'post /api/auth/signup',
      'post /api/auth/verify-email',
    ])
  })

  it('declares 401 and 429 for everything that needs a key', () => {
    for (const [name, { security, responses }] of operations()) {
      if (JSON.stringify(security) !== '[{"referralKey":[]}]') continue
      expect(Object.keys(responses), name).toEqual(expect.arrayContaining(['401', '403', '429', '503']))
    }
  })
})

describe('the document of the referral service', () => {
  it('has the operations that take its key and its public ones, as the whole document has them, and no other', async () => {
    const own = operations(await fetchDocument(REFERRAL))
    const open = ['get /v1/files/{sha256}', 'get /v1/sandbox-key']
    const expected = operations().filter(
      ([name, { security }]) => JSON.stringify(security).includes('referralKey') || open.includes(name),
    )
    expect(expected.length).toBeGreaterThan(open.length + 4)
    expect(own).toEqual(expected)
  })

  it('has every component that it refers to, no other, and nothing of the gateway or the management API', async () => {
    const { tags, ...referral } = await fetchDocument(REFERRAL)
    const text = JSON.stringify(referral)
    const referred = Array.from(text.matchAll(/"#\/components\/([^"]+)"/g), ([, name = '']) => name)
    const there = Object.entries(referral.components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `${kind}/${name}`),
    )
    expect(there.toSorted()).toEqual([...new Set([...referred, 'securitySchemes/referralKey'])].toSorted())
    expect(tags.map(({ name }) => name)).toEqual(['Referral', 'Waiting lists'])
    expect(text.match(/.{20}\/api\b|gatewayKey|%WHERE/g)).toBeNull()
    expect(referral).toMatchObject({ info: { title: 'Countersign referral service' } })
  })
})

describe('the collection of the referral service', () => {
  type Item = { name: string; item?: Item[]; request?: { method: string; url: { raw: string } } }
  const requestsIn = ({ item = [], ...one }: Item): Item[] => [
    ...(one.request === undefined ? [] : [one]),
    ...item.flatMap(requestsIn),
  ]

  it('has every operation, each kind of refused reading, and no key', async () => {
    const text = await (await fetch(`${service.url}/countersign-referral.postman_collection.json`)).text()
    const collection = JSON.parse(text) as Item & { variable: object[] }
    const requests = requestsIn(collection)
    const called = requests.map(
      ({ request }) =>
        `${request?.method.toLowerCase()} ${request?.url.raw
          .replace('{{baseUrl}}', '')
          .replace(/\?.*/, '')
          .replaceAll(/:(\w+)/g, '{$1}')}`,
    )
    expect(new Set(called)).toEqual(new Set(operations(await fetchDocument(REFERRAL)).map(([name]) => name)))
    const kinds = requests.map(({ name }) => name.split(':')[0])
    expect(kinds).toEqual(expect.arrayContaining(['yes', 'ask', 'held', 'unknown_action', 'identifier_found']))
    expect(text.match(/vk_(?:test|live)_\w|%WHERE/g)).toBeNull()
    expect(collection.variable).toEqual(['baseUrl', 'referralKey', 'sha256'].map((key) => ({ key, value: '' })))
  })
})

/** Every place in the document with a member of this name, and what it has there. */
function findAll(name: string): { pointer: string; value: unknown; within: object }[] {
  const found: { pointer: string; value: unknown; within: object }[] = []
  const visit = (within: unknown, pointer: string): void => {
    if (typeof within !== 'object' || within === null) return
    for (const [member, value] of Object.entries(within)) {
      if (member === name) found.push({ pointer, value, within })
      if (member !== 'example' && member !== 'examples') visit(value, `${pointer}/${escaped(member)}`)
    }
  }
  visit(document, '')
  return found
}

const escaped = (member: string): string => encodeURIComponent(member.replaceAll('~', '~0').replaceAll('/', '~1'))

describe('what the document declares', () => {
  it('fits each of its own examples', () => {
    const { validatorOf } = openValidators(document)
    const single = findAll('example').map(({ pointer, value, within }) => ({ pointer, within, examples: [value] }))
    const several = findAll('examples').map(({ pointer, value, within }) => ({
      pointer,
      within,
      examples: Array.isArray(value)
        ? (value as unknown[])
        : Object.values(value as object).map((one: { value: unknown }) => one.value),
    }))
    const wrong = [...single, ...several].flatMap(({ pointer, within, examples }) => {
      const validate = validatorOf('schema' in within ? `${pointer}/schema` : pointer)
      return examples.flatMap((example) => (validate(example) ? [] : [{ pointer, example, errors: validate.errors }]))
    })
    expect(single.length).toBeGreaterThan(50)
    expect(wrong).toEqual([])
  })

  it('says the items and the length of every tuple, for generators that know no prefixItems', () => {
    const tuples = findAll('prefixItems').map(({ value, within }) => ({ within, positions: value as object[] }))
    expect(tuples.length).toBeGreaterThan(5)
    for (const { within, positions } of tuples) {
      const { length } = positions
      for (const items of positions) expect(within).toMatchObject({ items, minItems: length, maxItems: length })
    }
  })

  it('says the decimals of every amount in euro, by no multipleOf, which validators find in no 0.000005', () => {
    const amounts = findAll('properties').flatMap(({ value }) =>
      Object.entries(value as object).filter(([name]) => name.endsWith('_eur')),
    )
    expect(amounts.length).toBeGreaterThan(20)
    for (const [name, schema] of amounts) {
      expect(schema, name).toMatchObject({
        'x-decimals': 6,
        description: expect.stringContaining('6 decimals') as unknown,
      })
      expect(JSON.stringify(schema)).not.toContain('multipleOf')
    }
  })

  it('can be met: no part of an allOf refuses the members that another part needs', () => {
    const unmet = findAll('allOf').filter(({ value }) => {
      const parts = (value as Part[]).map((part) => (part.$ref === undefined ? part : partAt(part.$ref)))
      const named = parts.flatMap(({ properties = {} }) => Object.keys(properties))
      return parts.some(
        ({ additionalProperties, properties = {} }) =>
          additionalProperties === false && named.some((name) => !Object.hasOwn(properties, name)),
      )
    })
    expect(unmet.map(({ pointer }) => pointer)).toEqual([])
  })

  it('is what a statement about the checklist is answered with', async () => {
    const { id } = await service.operate<{ id: string }>('POST', '/organisations', { name: 'A practice', tier: 'pro' })
    const { headers } = await signInAs(service, id, 'owner')
    const init = {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Both clinicians were trained.', looked_at: 'The list of attendance.' }),
    }
    expect((await service.fetch('/api/compliance/statements/X2', init)).status).toBe(200)
  })

  type Part = { $ref?: string; additionalProperties?: unknown; properties?: object }
  const partAt = (ref: string): Part => document.components.schemas[ref.split('/').at(-1) ?? ''] as Part
})

const OPENAI_ERRORS = ['Error', 'ChatError', 'DegradedError', 'NotReadyError', 'IdentifierError', 'ProofError']

describe('what readers of the document trip over', () => {
  const schema = (name: string): Schema => document.components.schemas[name] ?? {}
  const keyed = () =>
    operations().filter(([, { security = [] }]) =>
      ['referralKey', 'gatewayKey'].some((name) => JSON.stringify(security).includes(name)),
    )

  it('null is never one of the values of an enum: generators make a word of it', () => {
    const found: string[] = []
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      if ('enum' in value && Array.isArray(value.enum) && value.enum.includes(null)) found.push(path)
      for (const [name, inner] of Object.entries(value)) visit(inner, `${path}/${name}`)
    }
    visit(document, '')
    expect(found).toEqual([])
  })

  it('every error has the envelope of its format, and each response the codes that it can have', () => {
    const bodies = new Set<string>()
    for (const [name, { responses }] of operations()) {
      for (const [status, declared] of Object.entries(responses)) {
        if (Number(status) < 400 || (name.endsWith('/v1/referral/read') && status === '409')) continue
        const { anyOf, ...one } = declared.content?.['application/json']?.schema ?? {}
        for (const { $ref } of anyOf ?? [one]) bodies.add($ref ?? 'one of its own')
        expect(declared['x-error-codes']?.length, `${name} ${status}`).toBeGreaterThan(0)
      }
    }
    const envelope = (name: string) => `#/components/schemas/${name}`
    expect(bodies).toEqual(new Set([...OPENAI_ERRORS, 'MessagesError', 'CallMessagesError'].map(envelope)))
    const own = Object.keys(schema('ErrorDetail').properties ?? {})
    expect(Object.keys(schema('IdentifierErrorDetail').properties ?? {})).toEqual([...own, 'identifiers'])
    const ofPolicy = ['policy', 'reason', 'data_regions', 'approval_id', 'expires_at', 'location']
    expect(Object.keys(schema('ChatErrorDetail').properties ?? {})).toEqual([...own, 'aqta', ...ofPolicy])
  })

  it('every answer to a keyed call tells the limits, errors included, but for those that may come before the key', () => {
    const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
    expect(keyed().length).toBeGreaterThan(8)
    for (const [name, { responses }] of keyed()) {
      for (const [status, { headers = {} }] of Object.entries(responses)) {
        const promised = names.filter((header) => headers[header]?.required === true)
        const may = ['401', '500', '503'].includes(status)
        expect([name, status, promised]).toEqual([name, status, may ? [] : names])
        if (status === '503') expect(Object.keys(headers)).toEqual(expect.arrayContaining(names))
      }
    }
  })

  it('a call that is over its limit or its quota tells when to come back', () => {
    for (const [name, { responses }] of keyed()) {
      for (const status of ['402', '429']) {
        const declared = responses[status]
        if (declared !== undefined) expect(declared.headers?.['retry-after']?.required, `${name} ${status}`).toBe(true)
      }
    }
  })
})
