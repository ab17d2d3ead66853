// A live reading in the service: written down before a letter leaves, settled before it is answered, and within its money.
import { createHmac } from 'node:crypto'
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { decodeBase64url } from '../../../../src/evidence/records/base64.ts'
import { signedHash } from '../../../../src/evidence/records/attestation-record.ts'
import { findReadingFault, isLetterOf } from '../../../../src/evidence/records/reading-record.ts'
import { checkDocument } from '../../../../src/evidence/verify/check-document.ts'
import { NO_OPTIONS } from '../../../../src/evidence/verify/check-options.ts'
import { PROFILE_CHECKS } from '../../../../src/evidence/verify/check-reading.ts'
import type { JsonObject } from '../../../../src/platform/json.ts'
import { REFERRAL_LIMITS } from '../../../../src/keys/rate-limits.policy.ts'
import type { Organisation } from '../../../../src/organisation/organisation.do.ts'
import { loadMemory } from '../../../../src/organisation/journal/load-state.ts'
import { spentInDay } from '../../../../src/organisation/journal/state/readings.ts'
import type { ReadingRecord } from '../../../../src/referral/read.schema.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import type { ReadResponse } from '../../../../src/referral/read.schema.ts'
import { postJson, startService, withKey, type CreatedKey, type Service } from '../../../support/unit/service.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import { csv, LONG_HEADER, LONG_ROW } from '../waiting-lists/published-file.ts'
import { openIsolate, publishOk } from '../waiting-lists/test-storage.ts'

const LETTER = { text: 'Dear Doctor, this man has palpitations.' }
const SETTINGS = { OPENAI_API_KEY: 'key-of-openai', GOOGLE_API_KEY: 'key-of-google', EUR_PER_USD: '1' }

let key: CreatedKey
let service: Service

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  await publishOk(openIsolate().store, { bytes: csv([LONG_HEADER, LONG_ROW]) })
  service = startService(SETTINGS)
  key = await service.createKey({ prefix: 'vk_live_' })
  answerEverything()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Both providers name Cardiology; each call of Reader A is billed `tokens` of input. */
function answerEverything({ tokens = 1000, meanwhile = async () => {} } = {}) {
  const text = JSON.stringify({ specialty: 'Cardiology', ageGroup: 'Adult' })
  return vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    await meanwhile()
    if (new Request(input).url.startsWith('https://api.openai.com')) {
      const choice = (index: number) => ({ index, message: { content: text }, finish_reason: 'stop' })
      const usage = { prompt_tokens: tokens, completion_tokens: 0 }
      return Response.json({ choices: [0, 1, 2, 3, 4].map(choice), usage })
    }
    return Response.json({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0 },
    })
  })
}

const read = (from = service) => from.fetch('/v1/referral/read', postJson(key.key, LETTER))

/** Sends a body with further headers; returns the status, the error's code and whether a client may send it again by itself. */
async function send(body: object, headers: Record<string, string>, from = service): Promise<unknown[]> {
  const sent = { 'content-type': 'application/json', ...headers }
  const init = withKey(key.key, { method: 'POST', headers: sent, body: JSON.stringify(body) })
  const response = await from.fetch('/v1/referral/read', init)
  const { error } = await response.json<{ error?: { code: string; param?: string } }>()
  return [response.status, error?.code, error?.param, response.headers.get('x-should-retry')]
}

const object = () => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(key.organisationId))

/** The ledger's entries about readings, oldest first. */
async function entries(): Promise<Record<string, unknown>[]> {
  const rows = await runInDurableObject(object(), (_, { storage: { sql } }) =>
    sql
      .exec<{ entry: ArrayBuffer }>("SELECT entry FROM entries WHERE kind <> 'hour_counts' ORDER BY position")
      .toArray(),
  )
  return rows
    .map(({ entry }) => JSON.parse(new TextDecoder().decode(new Uint8Array(entry).subarray(17))) as { kind: string })
    .filter(({ kind }) => kind !== 'operator_act')
}

/** The organisation's object, of which one call fails. */
function objectsFailingAt(method: 'admit' | 'settleReading') {
  return {
    getByName: (name: string) => {
      const stub = env.ORGANISATIONS.getByName(name)
      return {
        admit: (...args: Parameters<typeof stub.admit>) => stub.admit(...args),
        settleReading: (...args: Parameters<typeof stub.settleReading>) => stub.settleReading(...args),
        [method]: () => Promise.reject(new Error('the object is gone')),
      }
    },
  }
}

describe('a live reading', () => {
  it('is in the ledger, unsettled, when the letter leaves, and settled when it is answered', async () => {
    const whileReading: unknown[] = []
    answerEverything({
      meanwhile: async () => {
        whileReading.push(...(await entries()).map(({ decision }) => decision))
      },
    })
    expect((await read()).status).toBe(200)
    expect(whileReading).toEqual(Array<string>(4).fill('reading'))
    expect((await entries()).map(({ decision }) => decision)).toEqual(['reading', 'yes'])
  })

  it('sends nothing where it cannot be written down', async () => {
    const sent = answerEverything()
    const response = await read(startService({ ...SETTINGS, ORGANISATIONS: objectsFailingAt('admit') }))
    expect(response.status).toBe(503)
    expect(sent).not.toHaveBeenCalled()
  })

  it.each(['\u{200b}'.repeat(40), '\u{3164}\u{2800}\n', '\u{e0041}\u{fe0f}\u{301}', ''])(
    'sends nothing where no character of the letter shows, and asks for one: %j',
    async (text) => {
      const sent = answerEverything()
      const response = await service.fetch('/v1/referral/read', postJson(key.key, { text }))
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: { code: 'text_missing', param: 'text' } })
      expect(sent).not.toHaveBeenCalled()
    },
  )

  it('answers 503 and nothing of the reading where it cannot be settled, and is not to be repeated blindly', async () => {
    const response = await read(startService({ ...SETTINGS, ORGANISATIONS: objectsFailingAt('settleReading') }))
    const body = await response.text()
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([503, 'false'])
    expect(body).toContain('service_unavailable')
    expect(body).not.toContain('Cardiology')
  })

  it('sends nothing for a key that is made up, revoked or out of scope', async () => {
    const sent = answerEverything()
    const narrow = await service.createKey({ prefix: 'vk_live_', scopes: ['waiting-lists:read'] })
    expect((await service.fetch('/v1/referral/read', postJson(narrow.key, LETTER))).status).toBe(403)
    await service.operate('DELETE', `/organisations/${key.organisationId}/keys/${key.id}`)
    expect((await read()).status).toBe(401)
    expect(sent).not.toHaveBeenCalled()
  })
})

describe('the record of a live reading', () => {
  const recordOf = async (from = service): Promise<ReadingRecord> => {
    const { record } = (await (await read(from)).json()) as { record: ReadingRecord }
    return record
  }

  it('is signed, and the settlement in the log has its hash and nothing of letter or reading', async () => {
    const record = await recordOf()
    const { signed, ledger, question } = record
    if (signed === undefined) throw new Error('unsigned')
    expect(findReadingFault(signed, { keys: [signed.public_key] })).toBeNull()
    expect(isLetterOf(signed, new TextEncoder().encode(LETTER.text), question.salt)).toBe(true)
    expect(signed).toMatchObject({
      reading_id: record.id,
      org_id: key.organisationId,
      specialty: 'Cardiology',
      reader_providers: ['openai', 'google'],
      reader_models: record.models.map(({ model }) => model),
      dataset_hash: record.datasetVersion.hash,
      timestamp: record.generatedAt,
    })
    const stored = await entries()
    expect(stored).toHaveLength(2)
    expect(stored[1]).toMatchObject({ kind: 'settlement', reading: signedHash(signed) })
    const entry = decodeBase64url(ledger.entry) ?? new Uint8Array()
    expect(JSON.parse(new TextDecoder().decode(entry.subarray(17)))).toEqual(stored[1])
    const rows = await storedText()
    for (const secret of [question.salt, question.textHmac, 'Cardiology', 'palpitations', record.id]) {
      expect(rows).not.toContain(secret)
    }
  })

  it('is proven to be in the log, by the record, its entry and a head, also by one that was kept', async () => {
    const { signed, ledger, question } = await recordOf()
    await recordOf()
    const prove = async (query = ''): Promise<{ head: JsonObject; proof: JsonObject }> =>
      (await service.fetch(`/v1/referral/log/${ledger.position}${query}`, withKey(key.key))).json()
    const newest = await prove()
    const kept = await prove(`?tree_size=${ledger.position + 1}`)
    expect([newest.proof['tree_size'], kept.proof['tree_size']]).toEqual([ledger.position + 3, ledger.position + 1])
    const reading = {
      letter: new TextEncoder().encode(LETTER.text),
      salt: question.salt,
      entry: decodeBase64url(ledger.entry),
    }
    for (const { head, proof } of [newest, kept]) {
      const trust = { keys: [signed?.public_key ?? ''] }
      const options = { ...NO_OPTIONS, profile: PROFILE_CHECKS['reading-1'], trust, reading, proof, heads: [head] }
      const findings = checkDocument(signed ?? {}, options)
      expect(findings.map(({ kind, valid }) => [kind, valid])).toEqual([
        ['reading', true],
        ['letter', true],
        ['settlement', true],
        ['inclusion', true],
        ['head', true],
      ])
    }
  })

  it('is proven to nobody without the key, its scope, an entry and a size that has it', async () => {
    const { ledger } = await recordOf()
    const narrow = await service.createKey({ prefix: 'vk_live_', scopes: ['waiting-lists:read'] }, key.organisationId)
    const elsewhere = await service.createKey({ prefix: 'vk_live_' })
    const ask = async (path: string, by = key.key) =>
      (await service.fetch(`/v1/referral/log/${path}`, withKey(by))).status
    expect(await ask(`${ledger.position}`, 'vk_live_nobody')).toBe(401)
    expect(await ask(`${ledger.position}`, narrow.key)).toBe(403)
    expect(await ask(`${ledger.position}`, elsewhere.key)).toBe(404)
    expect(await ask(`${ledger.position + 100}`)).toBe(404)
    expect(await ask('-1')).toBe(404)
    expect(await ask('1e1')).toBe(404)
    expect(await ask(`${ledger.position}?tree_size=${ledger.position}`)).toBe(400)
    expect(await ask(`${ledger.position}?tree_size=1000`)).toBe(400)
    expect(await ask(`${ledger.position}?size=1`)).toBe(400)
  })

  it('is not hashed into the log where the operator says so, and verifies all the same', async () => {
    const { signed } = await recordOf(startService({ ...SETTINGS, READING_HASH_IN_LOG: 'off' }))
    expect(findReadingFault(signed, { keys: [signed?.public_key ?? ''] })).toBeNull()
    expect((await entries())[1]).not.toHaveProperty('reading')
  })

  it('is unsigned where the service has no key, and letters are read', async () => {
    const { signed, ledger } = await recordOf(startService({ ...SETTINGS, ATTESTATION_KEYS: '[]' }))
    expect(signed).toBeUndefined()
    expect(ledger.position).toBeGreaterThan(0)
    expect((await entries())[1]).not.toHaveProperty('reading')
  })

  it('is no answer where signing fails after the settlement', async () => {
    vi.spyOn(crypto.subtle, 'sign').mockImplementation((algorithm, ...rest) =>
      algorithm === 'Ed25519' ? Promise.reject(new Error('no')) : sign(algorithm, ...rest),
    )
    const response = await read()
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([503, 'false'])
    expect(await response.text()).not.toContain('Cardiology')
    expect((await entries()).map(({ decision }) => decision)).toEqual(['reading', 'yes'])
  })

  const sign = crypto.subtle.sign.bind(crypto.subtle)

  /** Every value of every table of the organisation's object, as text. */
  const storedText = (): Promise<string> =>
    runInDurableObject(object(), (_, { storage: { sql } }) => {
      const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'").toArray()
      const own = tables.filter(({ name }) => !name.startsWith('_cf_'))
      const values = own.flatMap(({ name }) => [...sql.exec(`SELECT * FROM "${name}"`).raw()].flat())
      const textOf = (value: unknown): string =>
        value instanceof ArrayBuffer
          ? `${new TextDecoder().decode(value)} ${new Uint8Array(value).toHex()}`
          : String(value)
      return values.map(textOf).join('\n')
    })
})

describe('a live reading under an idempotency key', () => {
  const HEADERS = { 'idempotency-key': 'referral-4711' }
  const REPEATED = [409, 'conflict', 'idempotency-key', 'false']
  const READ = [200, undefined, undefined, null]

  it('is read and paid for once: a repeat is 409 while it runs and after it, with another letter too', async () => {
    const meanwhile: unknown[] = []
    const sent = answerEverything({
      meanwhile: async () => {
        if (meanwhile.push('asked') === 1) meanwhile.push(await send(LETTER, HEADERS))
      },
    })
    expect(await send(LETTER, HEADERS)).toEqual(READ)
    expect(meanwhile).toContainEqual(REPEATED)
    const asked = sent.mock.calls.length
    expect(await send(LETTER, HEADERS)).toEqual(REPEATED)
    expect(await send({ text: 'Dear Doctor, this man has a rash.' }, HEADERS)).toEqual(REPEATED)
    expect([sent.mock.calls.length, (await entries()).length, await spent()]).toEqual([asked, 2, 400])
  })

  it('is read after a request that was held or refused under the key, but not after a reading that was not recorded', async () => {
    const refused = [{ action: 'book_appointment' }, { action: 'diagnose' }, { text: '' }, { text: 'PPS 1234567FA' }]
    const statuses = []
    for (const body of refused) statuses.push((await send(body, HEADERS))[0])
    expect(statuses).toEqual([409, 403, 400, 422])
    const unrecorded = startService({ ...SETTINGS, ORGANISATIONS: objectsFailingAt('settleReading') })
    expect(await send(LETTER, HEADERS, unrecorded)).toEqual([503, 'service_unavailable', undefined, 'false'])
    expect(await send(LETTER, HEADERS)).toEqual(REPEATED)
  })

  it('is refused where the header is wrong, after the letter and before a reader, and is counted', async () => {
    const sent = answerEverything()
    const wrong = { 'idempotency-key': 'k'.repeat(256) }
    expect(await send({ text: 'PPS 1234567FA' }, wrong)).toEqual([422, 'identifier_found', 'text', null])
    expect(await send(LETTER, wrong)).toEqual([400, 'invalid_request', 'idempotency-key', null])
    expect(sent).not.toHaveBeenCalled()
    const { headers } = await read()
    expect(headers.get('x-ratelimit-remaining')).toBe(String(REFERRAL_LIMITS.vk_live_.perMinute - 3))
  })
})

describe('the reference of a live reading', () => {
  const REFERENCE = 'gp-letter-4711'

  it('is bound to the log entry by a salt that only the record has', async () => {
    const sent = { 'content-type': 'application/json', 'x-aqta-reference': REFERENCE }
    const init = withKey(key.key, { method: 'POST', headers: sent, body: JSON.stringify(LETTER) })
    const records = []
    for (const request of [init, init, postJson(key.key, LETTER)]) {
      const response = await service.fetch('/v1/referral/read', request)
      records.push((await response.json<ReadResponse>()).record?.reference)
    }
    const started = (await entries()).filter(({ decision }) => decision === 'reading')
    expect(started.map((entry) => entry['reference_hmac'])).toEqual(records.map((reference) => reference?.hmac))
    const [first, second, none] = records
    expect(none).toBeUndefined()
    expect(first?.salt).not.toBe(second?.salt)
    for (const { salt, hmac } of [first, second].flatMap((reference) => reference ?? [])) {
      expect(createHmac('sha256', Uint8Array.fromHex(salt)).update(REFERENCE).digest('hex')).toBe(hmac)
      expect(JSON.stringify(await entries())).not.toContain(salt)
    }
    expect(JSON.stringify(await entries())).not.toContain(REFERENCE)
  })

  it('is refused and recorded with an identifier in it, and no reader sees the letter', async () => {
    const sent = answerEverything()
    const refused = await send(LETTER, { 'x-aqta-reference': 'pps:1234567FA' })
    expect(refused).toEqual([422, 'identifier_found', 'x-aqta-reference', null])
    const entry = { decision: 'refused', code: 'identifier_found', status: 422, shapes: ['pps_number'] }
    expect(await entries()).toEqual([expect.objectContaining(entry)])
    expect(JSON.stringify(await entries())).not.toContain('1234567')
    expect(sent).not.toHaveBeenCalled()
  })
})

describe('the money of a live key', () => {
  it('is EUR 20 a UTC day: then 429 until the day turns, for readings and for nothing else', async () => {
    // 49 million tokens at 0.4 dollars a million are 19.60 euro here, and what a reading may cost no longer fits.
    const sent = answerEverything({ tokens: 49_900_000 })
    expect((await read()).status).toBe(200)
    const sentBefore = sent.mock.calls.length
    const refused = await read()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe(String(12 * 3600))
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limit_exceeded', retry_after: 12 * 3600 } })
    expect(sent.mock.calls.length).toBe(sentBefore)
    expect((await service.fetch('/v1/examples', withKey(key.key))).status).toBe(200)

    vi.setSystemTime(noon + 12 * 3_600_000)
    expect((await read()).status).toBe(200)
  })

  it('is reserved before and given back after: many readings fit that together could have cost more', async () => {
    const most = await reservedWhileReading()
    expect(most * 400).toBeGreaterThan(20_000_000)
    for (let i = 0; i < 20; i++) expect((await read()).status).toBe(200)
    expect(await spent()).toBe(21 * 400)
  })

  it('stays reserved where a reading is never settled', async () => {
    const most = await reservedWhileReading()
    await read(startService({ ...SETTINGS, ORGANISATIONS: objectsFailingAt('settleReading') }))
    expect(await spent()).toBe(400 + most)
  })

  /** Returns what one reading, made here, reserves while it lasts. */
  async function reservedWhileReading(): Promise<number> {
    let reserved = 0
    const noting = answerEverything({
      meanwhile: async () => {
        reserved = await spent()
      },
    })
    await read()
    noting.mockRestore()
    answerEverything()
    return reserved
  }
})

const spent = (): Promise<number> =>
  runInDurableObject(object(), async (instance: Organisation, { storage }) => {
    expect((await instance.log.checkState()).differences).toEqual([])
    return spentInDay(loadMemory(storage.sql).state.readings, key.id, noon)
  })

describe('a reading that nothing settles', () => {
  it('is marked interrupted, once, when the day after it is over', async () => {
    await read(startService({ ...SETTINGS, ORGANISATIONS: objectsFailingAt('settleReading') }))
    const reserved = await spent()
    expect(reserved).toBeGreaterThan(0)
    for (const days of [1, 2, 3]) {
      vi.setSystemTime(noon + days * DAY_MS)
      await runDurableObjectAlarm(object())
    }
    const [start, end, ...more] = await entries()
    expect(start).toMatchObject({ decision: 'reading' })
    expect(end).toMatchObject({ kind: 'settlement', outcome: 'interrupted', key_id: key.id, cost_microeur: reserved })
    expect(more).toEqual([])
  })

  it('is not settled a second time, nor by another key', async () => {
    await read()
    const settlement = { keyId: key.id, position: 1, costMicroeur: 1, content: {} }
    expect(await object().settleReading({ ...settlement, position: 0 })).toEqual({ outcome: 'not_open' })
    const position = Number((await entries())[1]?.['settles'])
    expect(await object().settleReading({ ...settlement, position })).toEqual({ outcome: 'not_open' })
  })
})
