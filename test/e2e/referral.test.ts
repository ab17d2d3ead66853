// The referral service over HTTP, beside what the golden transcript and the contract runner (contract.test.ts) ask of it. Every answer is
// checked against the OpenAPI document on the way.
import { beforeAll, describe, expect, it } from 'vitest'
import { postJson, withKey, type Deployment } from '../support/e2e/deployment.ts'
import { sharedGateway } from '../support/e2e/gateway.ts'
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
  ;({ service } = await sharedGateway())
  ;({ key } = await service.createKey())
})

/** A key of its own for tests that make many calls. */
const freshKey = async (body?: object): Promise<string> => (await service.createKey(body)).key

const read = (body: unknown, as = key): Promise<Response> => service.fetch('/v1/referral/read', postJson(as, body))

async function errorCode(response: Promise<Response>): Promise<[number, string]> {
  const answered = await response
  const { error } = (await answered.json()) as Failure
  return [answered.status, error.code]
}

describe('readReferral', () => {
  it('leads from a letter to its waiting lists', async () => {
    const reading = (await (await read({ text: exampleLetter('yes').text })).json()) as Reading
    const query = new URLSearchParams({ specialty: reading.specialty ?? '', ageGroup: reading.ageGroup ?? '' })
    const lists = await service.fetch(`/v1/waiting-lists?${query.toString()}`, withKey(key))
    const body = (await lists.json()) as { datasetVersion: Version; waitingLists: { specialty: string }[] }
    expect(body.datasetVersion).toEqual(reading.datasetVersion)
    expect(body.waitingLists.length).toBeGreaterThan(0)
  })

  it('reads an example once under an idempotency key, and a text that is none claims nothing', async () => {
    const send = (text: string) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'once' }
      const init = withKey(key, { method: 'POST', headers, body: JSON.stringify({ text }) })
      return service.fetch('/v1/referral/read', init)
    }
    expect(await errorCode(send('Dear Doctor'))).toEqual([400, 'not_an_example'])
    expect((await send(exampleLetter('yes').text)).status).toBe(200)
    expect(await errorCode(send(exampleLetter('yes').text))).toEqual([409, 'conflict'])
  })
})

describe('keys', () => {
  it('of the gateway are 401 here', async () => {
    for (const prefix of ['aqta_', 'sk-aqta-']) {
      expect(await errorCode(read({ text: 'a letter' }, await freshKey({ prefix })))).toEqual([401, 'invalid_api_key'])
    }
  })

  it('are refused from the first request after their revocation', async () => {
    const { key: revoked, id, organisationId } = await service.createKey()
    expect((await service.fetch('/v1/specialties', withKey(revoked))).status).toBe(200)
    await service.operate('DELETE', `/organisations/${organisationId}/keys/${id}`)
    expect(await errorCode(service.fetch('/v1/specialties', withKey(revoked)))).toEqual([401, 'invalid_api_key'])
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

  it.each([
    ['an empty specialty', '/v1/waiting-lists?specialty=', 400, 'missing_parameter'],
    ['a bucket', '/v1/waiting-lists?specialty=Small+Volume+Specialities', 404, 'specialty_not_published'],
    ['a parameter given twice', '/v1/waiting-lists?specialty=Cardiology&specialty=Urology', 400, 'invalid_request'],
  ])('are refused for %s', async (_, path, status, code) => {
    expect(await errorCode(service.fetch(path, withKey(key)))).toEqual([status, code])
  })
})

describe('the operator’s routes', () => {
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
})

it.each(['short', 'has blanks in it', '<script>alert(1)</script>', 'x'.repeat(200)])(
  'the request id %s is replaced',
  async (given) => {
    const { headers } = await service.fetch('/healthz', { headers: { 'x-request-id': given } })
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f-]{36}$/)
  },
)
