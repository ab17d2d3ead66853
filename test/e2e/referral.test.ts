// The referral service over HTTP. Every answer is checked against the OpenAPI document on the way.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HELD_ACTIONS } from '../../src/referral/actions.ts'
import { listExamples } from '../../src/referral/examples/examples.ts'
import { deploy, postJson, withKey, type Deployment } from '../support/e2e/deployment.ts'
import { exampleLetter } from '../support/e2e/letters.ts'

type Version = { archiveDate: string; publishedOn: string; hash: string }
type Reading = {
  decision: string
  specialty: string | null
  ageGroup: string | null
  datasetVersion: Version
  action: string
}
type Failure = { error: { code: string; type: string; message: string; request_id: string; retry_after?: number } }

let service: Deployment
let key: string

beforeAll(async () => {
  service = await deploy()
  ;({ key } = await service.createKey())
})
afterAll(() => service.close())

/** A key of its own for tests that make many calls. */
const freshKey = async (body?: object): Promise<string> => (await service.createKey(body)).key

const read = (body: unknown, as = key): Promise<Response> => service.fetch('/v1/referral/read', postJson(as, body))

async function errorCode(response: Promise<Response>): Promise<[number, string]> {
  const answered = await response
  const { error } = (await answered.json()) as Failure
  return [answered.status, error.code]
}

describe('readReferral', () => {
  it('answers every example as the example says', async () => {
    const as = await freshKey()
    for (const { id, text, action, expected } of listExamples()) {
      const response = await read(action === null ? { text } : { text, action }, as)
      const body = (await response.json()) as Partial<Reading & Failure>
      const { decision = null, specialty = null, ageGroup = null } = body
      const answered = { status: response.status, decision, code: body.error?.code ?? null, specialty, ageGroup }
      expect(answered, id).toEqual(expected)
    }
  })

  it('leads from a letter to its waiting lists', async () => {
    const reading = (await (await read({ text: exampleLetter('yes').text })).json()) as Reading
    const query = new URLSearchParams({ specialty: reading.specialty ?? '', ageGroup: reading.ageGroup ?? '' })
    const lists = await service.fetch(`/v1/waiting-lists?${query.toString()}`, withKey(key))
    const body = (await lists.json()) as { datasetVersion: Version; waitingLists: { specialty: string }[] }
    expect(body.datasetVersion).toEqual(reading.datasetVersion)
    expect(body.waitingLists.length).toBeGreaterThan(0)
  })

  it('takes a letter whose line ends were changed on the way', async () => {
    const { text } = exampleLetter('yes')
    expect((await read({ text: ` ${text.replaceAll('\n', '\r\n')}\r\n` })).status).toBe(200)
  })

  it('refuses any other letter of a sandbox key and points to the examples', async () => {
    const response = await read({ text: 'Thank you for seeing this patient with a sore knee.' })
    const { error } = (await response.json()) as Failure
    expect([response.status, error.code]).toEqual([400, 'not_an_example'])
    expect(error.message).toContain('/v1/examples')
  })

  it.each(HELD_ACTIONS)('holds %s without a letter and tells SDKs not to repeat it', async (action) => {
    const response = await read({ action })
    expect(response.status).toBe(409)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(Object.keys((await response.json()) as object)).toEqual([
      'action',
      'decision',
      'because',
      'established',
      'cannot_tell_you_about_this_patient',
      'who_holds_this',
      'note',
    ])
  })

  it('answers a live key 503 until readers are configured, never from recordings', async () => {
    const live = await freshKey({ prefix: 'vk_live_' })
    expect(await errorCode(read({ text: exampleLetter('yes').text }, live))).toEqual([503, 'service_unavailable'])
    expect((await read({ action: 'book_appointment' }, live)).status).toBe(409)
  })

  it('refuses a body over 64 KiB, declared or streamed, before it is parsed', async () => {
    const big = JSON.stringify({ text: 'a'.repeat(70_000) })
    expect(await errorCode(service.fetch('/v1/referral/read', { ...postJson(key, {}), body: big }))).toEqual([
      413,
      'payload_too_large',
    ])
    const streamed = ReadableStream.from(Array.from({ length: 8 }, () => new Uint8Array(16_384).fill(97)))
    const init = { ...postJson(key, {}), body: streamed, duplex: 'half' } as RequestInit
    expect(await errorCode(service.fetch('/v1/referral/read', init))).toEqual([413, 'payload_too_large'])
  })

  it('accepts a body just under 64 KiB and judges what it says', async () => {
    const body = JSON.stringify({ text: 'a'.repeat(65_000) })
    expect(await errorCode(service.fetch('/v1/referral/read', { ...postJson(key, {}), body }))).toEqual([
      400,
      'text_too_long',
    ])
  })
})

describe('keys', () => {
  const letter = { text: 'a letter' }
  it.each([
    ['none', {}],
    ['one that is made up', { authorization: `Bearer vk_test_${'1'.repeat(89)}` }],
    ['another scheme', { authorization: 'Basic dms6dGVzdA==' }],
    ['a huge one', { authorization: `Bearer ${'vk_test_'.repeat(200)}` }],
  ])('are needed: %s is 401, before anything is said about the body', async (_, headers) => {
    const init = { method: 'POST', headers: { 'content-type': 'text/plain', ...headers }, body: '{' }
    expect(await errorCode(service.fetch('/v1/referral/read', init))).toEqual([401, 'invalid_api_key'])
  })

  it('of the gateway are 401 here', async () => {
    for (const prefix of ['aqta_', 'sk-aqta-']) {
      expect(await errorCode(read(letter, await freshKey({ prefix })))).toEqual([401, 'invalid_api_key'])
    }
  })

  it('are taken from the header spelled Authorisation too', async () => {
    const response = await service.fetch('/v1/specialties', { headers: { authorisation: `Bearer ${key}` } })
    expect(response.status).toBe(200)
  })

  it('are refused from the first request after their revocation', async () => {
    const { key: revoked, id, organisationId } = await service.createKey()
    expect((await service.fetch('/v1/specialties', withKey(revoked))).status).toBe(200)
    await service.operate('DELETE', `/organisations/${organisationId}/keys/${id}`)
    expect(await errorCode(service.fetch('/v1/specialties', withKey(revoked)))).toEqual([401, 'invalid_api_key'])
  })

  it('may be limited to a scope', async () => {
    const limited = await freshKey({ scopes: ['waiting-lists:read'] })
    expect((await service.fetch('/v1/specialties', withKey(limited))).status).toBe(200)
    expect(await errorCode(read(letter, limited))).toEqual([403, 'scope_required'])
  })
})

describe('limits', () => {
  it('refuse with when to come back, and outrank what is wrong with the body', async () => {
    const limited = await freshKey({ requests_per_minute: 2 })
    await read({ text: '' }, limited)
    const last = await read({ action: 'unknown' }, limited)
    expect([last.headers.get('x-ratelimit-limit'), last.headers.get('x-ratelimit-remaining')]).toEqual(['2', '0'])
    for (let i = 0; i < 3; i++) {
      const response = await service.fetch('/v1/referral/read', { ...postJson(limited, {}), body: '{' })
      const { error } = (await response.json()) as Failure
      expect([response.status, error.code]).toEqual([429, 'rate_limit_exceeded'])
      const retryAfter = Number(response.headers.get('retry-after'))
      expect(retryAfter).toBe(error.retry_after)
      expect(retryAfter).toBeGreaterThanOrEqual(1)
      expect(retryAfter).toBeLessThanOrEqual(60)
      expect(response.headers.get('retry-after-ms')).toBe(String(retryAfter * 1000))
      expect(response.headers.get('x-should-retry')).toBeNull()
    }
  })

  it('let exactly as many of 200 concurrent calls pass as the key may make', async () => {
    const limited = await freshKey({ requests_per_minute: 25 })
    const responses = await Promise.all(
      Array.from({ length: 200 }, () => service.fetch('/v1/specialties', withKey(limited))),
    )
    expect(responses.filter(({ status }) => status === 200).length).toBe(25)
    expect(responses.filter(({ status }) => status === 429).length).toBe(175)
  })

  it('do not hide that a body is too large, nor that a key is bad', async () => {
    const { key: limited, id, organisationId } = await service.createKey({ requests_per_minute: 1 })
    const tooLarge = { ...postJson(limited, {}), body: 'a'.repeat(70_000) }
    await read({}, limited)
    expect(await errorCode(service.fetch('/v1/referral/read', tooLarge))).toEqual([413, 'payload_too_large'])
    await service.operate('DELETE', `/organisations/${organisationId}/keys/${id}`)
  })
})

describe('the published figures', () => {
  it('list specialties and the lists of each, every one of which can be asked for', async () => {
    const as = [await freshKey(), await freshKey()]
    const { specialties } = (await (await service.fetch('/v1/specialties', withKey(key))).json()) as {
      specialties: { name: string; ageGroups: string[]; lists: number }[]
    }
    expect(specialties.length).toBeGreaterThan(30)
    for (const [index, { name, ageGroups, lists }] of specialties.entries()) {
      let found = 0
      for (const ageGroup of ageGroups) {
        const query = new URLSearchParams({ specialty: name, ageGroup })
        const response = await service.fetch(`/v1/waiting-lists?${query.toString()}`, withKey(as[index % 2] ?? key))
        found += ((await response.json()) as { waitingLists: object[] }).waitingLists.length
      }
      expect(found, name).toBe(lists)
    }
  })

  it('hold no average, rank, score or suitability under any name', async () => {
    const names = new Set<string>()
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [name, member] of Object.entries(value)) {
        if (!Array.isArray(value)) names.add(name)
        collect(member)
      }
    }
    for (const path of ['/v1/specialties', '/v1/waiting-lists?specialty=Cardiology', '/v1/datasets', '/v1/examples']) {
      collect(await (await service.fetch(path, withKey(key))).json())
    }
    collect(await (await read({ text: exampleLetter('yes').text })).json())
    expect(
      [...names].filter((name) => /average|mean|median|rank|score|suitab|confiden|urgen|priorit/i.test(name)),
    ).toEqual([])
  })

  it.each([
    ['no specialty', '/v1/waiting-lists', 400, 'missing_parameter'],
    ['an empty specialty', '/v1/waiting-lists?specialty=', 400, 'missing_parameter'],
    ['a specialty that is not published', '/v1/waiting-lists?specialty=cardiology', 404, 'specialty_not_published'],
    ['a bucket', '/v1/waiting-lists?specialty=Small+Volume+Specialities', 404, 'specialty_not_published'],
    ['another age group', '/v1/waiting-lists?specialty=Cardiology&ageGroup=adult', 400, 'invalid_request'],
    ['a parameter given twice', '/v1/waiting-lists?specialty=Cardiology&specialty=Urology', 400, 'invalid_request'],
    ['an unknown parameter', '/v1/waiting-lists?specialty=Cardiology&sort=total', 400, 'invalid_request'],
  ])('are refused for %s', async (_, path, status, code) => {
    expect(await errorCode(service.fetch(path, withKey(key)))).toEqual([status, code])
  })

  it('answer a specialty without a list for the age group with an empty array', async () => {
    const response = await service.fetch('/v1/waiting-lists?specialty=Geriatric+Medicine&ageGroup=Child', withKey(key))
    expect(await response.json()).toMatchObject({ ageGroup: 'Child', waitingLists: [] })
  })

  it('serve the file whose hash every answer names, byte for byte and to anyone', async () => {
    const { datasets } = (await (await service.fetch('/v1/datasets', withKey(key))).json()) as {
      datasets: { datasetVersion: Version; current: boolean }[]
    }
    const hash = datasets[0]?.datasetVersion.hash ?? ''
    const file = await service.fetch(`/v1/files/${hash}`)
    const digest = createHash('sha256')
      .update(new Uint8Array(await file.arrayBuffer()))
      .digest('hex')
    expect(digest).toBe(hash)
    expect(file.headers.get('cache-control')).toContain('immutable')
    expect(await errorCode(service.fetch(`/v1/files/${'0'.repeat(64)}`))).toEqual([404, 'not_found'])
    expect(await errorCode(service.fetch('/v1/files/..%2f..%2fsecret'))).toEqual([404, 'not_found'])
  })

  it.each(['/v1/specialties', '/v1/waiting-lists?specialty=Cardiology', '/v1/examples', '/v1/openapi.json'])(
    'are answered 304 when the caller has %s already',
    async (path) => {
      const first = await service.fetch(path, withKey(key))
      const etag = first.headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
      const again = await service.fetch(path, withKey(key, { headers: { 'if-none-match': `W/${etag}` } }))
      expect(again.status).toBe(304)
      const changed = await service.fetch(path, withKey(key, { headers: { 'if-none-match': '"other"' } }))
      expect(changed.status).toBe(200)
    },
  )
})

describe('HTTP', () => {
  it('says which methods an address has', async () => {
    const response = await service.fetch('/v1/referral/read', { method: 'PUT' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('answers an unknown address in the one envelope', async () => {
    expect(await errorCode(service.fetch('/v1/nothing'))).toEqual([404, 'not_found'])
  })

  it('answers HEAD with the headers of GET and no body', async () => {
    const response = await fetch(`${service.url}/v1/specialties`, withKey(key, { method: 'HEAD' }))
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(response.headers.get('etag')).not.toBeNull()
  })

  it('lets a browser of any origin call /v1, without cookies', async () => {
    const preflight = await fetch(`${service.url}/v1/referral/read`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://practice.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-stainless-lang')
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
    const operator = await fetch(`${service.url}/api/operator/organisations`, {
      headers: { origin: 'https://practice.example' },
    })
    expect(operator.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('keeps a sane request id and replaces any other', async () => {
    const idOf = async (given: string) =>
      (await service.fetch('/healthz', { headers: { 'x-request-id': given } })).headers.get('x-request-id')
    expect(await idOf('trace-1234.5678')).toBe('trace-1234.5678')
    for (const bad of ['short', 'has blanks in it', '<script>alert(1)</script>', 'x'.repeat(200)]) {
      expect(await idOf(bad)).toMatch(/^req_[0-9a-f-]{36}$/)
    }
  })
})

describe('the operator’s routes', () => {
  const list = (token: string | null) =>
    service.fetch('/api/operator/organisations', {
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
    })

  it('need the operator’s token', async () => {
    expect(await errorCode(list(null))).toEqual([401, 'invalid_credentials'])
    expect(await errorCode(list('x'.repeat(40)))).toEqual([401, 'invalid_credentials'])
    expect((await list(service.operatorToken)).status).toBe(200)
  })

  it('page through organisations, newest first', async () => {
    for (let i = 0; i < 3; i++) await service.operate('POST', '/organisations', { name: `Practice ${i}` })
    type Page = { data: { id: string }[]; has_more: boolean; next_cursor: string | null }
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: Page = await service.operate(
        'GET',
        `/organisations?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      )
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.next_cursor
    }
    expect(seen.length).toBeGreaterThan(3)
    expect(seen).toEqual([...new Set(seen)].toSorted().toReversed())
  })

  it('never show a key’s secret again', async () => {
    const { key: secret, id, organisationId } = await service.createKey()
    const shown = JSON.stringify([
      await service.operate('GET', `/organisations/${organisationId}/keys`),
      await service.operate('GET', `/organisations/${organisationId}/keys/${id}`),
    ])
    expect(shown).toContain(secret.slice(-4))
    expect(shown).not.toContain(secret.slice(60, 90))
  })

  it.each([
    ['GET', '/organisations/org_00000000-0000-7000-8000-000000000000', undefined, 'not_found'],
    ['GET', '/organisations/none', undefined, 'not_found'],
    ['GET', '/organisations?limit=1000', undefined, 'invalid_request'],
    ['POST', '/organisations', {}, 'invalid_request'],
    ['POST', '/organisations', { name: 'A', tier: 'gold' }, 'invalid_request'],
    [
      'POST',
      '/organisations/org_00000000-0000-7000-8000-000000000000/keys',
      { prefix: 'vk_test_', name: 'A' },
      'not_found',
    ],
  ])('refuse %s %s', async (method, path, body, code) => {
    expect(await service.operate<Failure>(method, path, body)).toMatchObject({ error: { code } })
  })
})
