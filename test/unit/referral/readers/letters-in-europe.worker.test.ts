// One setting keeps both readers in Europe: the pages, the OpenAPI document, the requests and the log entry follow it, and a key’s own
// region is obeyed.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { contentOf } from '../../../../src/evidence/entry.ts'
import { EEA_CH_COUNTRIES } from '../../../../src/platform/data-region.ts'
import { catalogueSha256 } from '../../../../src/providers/model-catalogue.ts'
import { postJson, startService } from '../../../support/unit/service.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import { csv, LONG_HEADER, LONG_ROW } from '../waiting-lists/published-file.ts'
import { openIsolate, publishOk } from '../waiting-lists/test-storage.ts'

const KEYS = {
  OPENAI_API_KEY: 'key',
  OPENAI_EU_API_KEY: 'key',
  GOOGLE_API_KEY: 'key',
  ANTHROPIC_API_KEY: 'key',
  BEDROCK_EU_WEST_1_API_KEY: 'key',
}
const IN_EUROPE = { ...KEYS, READERS_DATA_REGION: 'eea_ch' }
const LETTER = { text: 'Dear Doctor, this man has palpitations.' }

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe.each(['/', '/reference', '/v1/openapi.json', '/v1/referral/openapi.json'])('%s', (path) => {
  it('says where letters go by the settings, and has an ETag for that', async () => {
    const services = [startService(KEYS), startService(IN_EUROPE)]
    const answers = await Promise.all(services.map(async (service) => service.fetch(path)))
    const [worldwide, european] = await Promise.all(answers.map(async (answer) => answer.text()))
    expect(worldwide).toContain('OpenAI, in the United States; and to Google, in any country')
    expect(european).toContain(
      'OpenAI, in the European Economic Area or Switzerland; and to Amazon Bedrock, in Germany',
    )
    expect(european).not.toMatch(/OpenAI, in the United States|not configured|WHERE_LETTERS_GO/)

    const [ofFirst, ofSecond] = answers.map(({ headers }) => headers.get('etag') ?? '')
    const known = async (etag = '') => services[1]?.fetch(path, { headers: { 'if-none-match': etag } })
    expect([(await known(ofFirst))?.status, (await known(ofSecond))?.status]).toEqual([200, 304])
    const policy = answers[1]?.headers.get('content-security-policy')
    expect(policy).toMatch(path.startsWith('/v1/') ? /^default-src 'none'; frame/ : /script-src 'self'/)
  })
})

describe('a letter', () => {
  /** No provider answers. Returns the hosts that were asked. */
  function noteHosts(): Set<string> {
    const hosts = new Set<string>()
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
      hosts.add(new URL(new Request(input).url).host)
      return new Response('', { status: 400 })
    })
    return hosts
  }

  async function read(settings: object, dataRegion?: string) {
    await publishOk(openIsolate().store, { bytes: csv([LONG_HEADER, LONG_ROW]) })
    const service = startService(settings)
    const key = await service.createKey({ prefix: 'vk_live_', ...(dataRegion && { data_region: dataRegion }) })
    const response = await service.fetch('/v1/referral/read', postJson(key.key, LETTER))
    const object = env.ORGANISATIONS.getByName(key.organisationId)
    const entries = await runInDurableObject(object, (_, { storage: { sql } }) =>
      sql
        .exec<{ entry: ArrayBuffer }>("SELECT entry FROM entries WHERE kind = 'referral_decision'")
        .toArray()
        .map(({ entry }) => contentOf(new Uint8Array(entry))),
    )
    return { status: response.status, body: await response.json(), entries }
  }

  it.each<[string, object, string[], string[], unknown[]]>([
    ['anywhere', KEYS, ['openai', 'google'], ['api.openai.com', 'generativelanguage.googleapis.com'], [['US'], null]],
    [
      'in Europe',
      IN_EUROPE,
      ['openai-eu', 'bedrock-eu-west-1'],
      ['eu.api.openai.com', 'bedrock-runtime.eu-west-1.amazonaws.com'],
      [expect.arrayContaining(EEA_CH_COUNTRIES), expect.arrayContaining(['IE'])],
    ],
  ])('goes to the readers’ hosts %s, which its entry names', async (_, settings, routes, hosts, places) => {
    const asked = noteHosts()
    const { status, entries } = await read(settings)
    expect([status, [...asked]]).toEqual([200, hosts])
    expect(entries).toMatchObject([
      {
        catalogue: catalogueSha256(),
        routes: routes.map((route, at) => ({ route, host: hosts[at], places: places[at] })),
      },
    ])
  })

  it.each([
    [KEYS, 'eea_ch', 403],
    [IN_EUROPE, 'eu', 403],
    [IN_EUROPE, 'eea_ch', 200],
  ])('of a key with a data_region goes nowhere outside it: %j, %s', async (settings, region, expected) => {
    const asked = noteHosts()
    const { status, body, entries } = await read(settings, region)
    expect(status).toBe(expected)
    if (expected === 200) return
    expect(body).toMatchObject({ error: { code: 'scope_required' } })
    expect(JSON.stringify(body)).toContain(`outside this key’s data_region ${region}`)
    expect([asked.size, entries]).toEqual([0, []])
  })
})
