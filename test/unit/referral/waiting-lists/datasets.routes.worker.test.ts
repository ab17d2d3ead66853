// The operator's routes for figures: what is served after each, what is refused, and the ledger's entry before it takes effect.
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { errorBody } from '../../../../src/platform/render-error.ts'
import { AppError } from '../../../../src/platform/errors.ts'
import { requestContext } from '../../../../src/platform/request.middleware.ts'
import { createApi } from '../../../../src/platform/router.ts'
import { sha256Hex } from '../../../../src/platform/sha256.ts'
import { datasetRoutes } from '../../../../src/referral/waiting-lists/datasets.routes.ts'
import { csv, LONG_HEADER, LONG_ROW, longRow, WIDE_HEADER, WIDE_ROW } from './published-file.ts'
import { openIsolate, watch } from './test-storage.ts'

const TOKEN = 'operator-token'
const twoDates = csv([LONG_HEADER, LONG_ROW, longRow({ date: '27/08/2026' })])
const wide = csv([WIDE_HEADER, WIDE_ROW])
const PUBLISH = '?published_on=2026-10-09&file_name=invented.csv'
const ACCEPTING = `${PUBLISH}&kind=outpatient&accept=older,smaller,incomplete,new-names`

let acts: unknown[][] = []
let ledgerFails = false
beforeEach(() => {
  acts = []
  ledgerFails = false
})

type Failure = { error: { code: string; message: string; fields?: { path: string; rule: string }[] } }

/** A service in an isolate of its own. @param isolate whose storage it uses */
function open(isolate = openIsolate()) {
  const operator = {
    async recordDatasetAct(...[act, content]: unknown[]) {
      await Promise.resolve()
      if (ledgerFails) throw new Error('the ledger does not answer')
      acts.push([act, content])
      return { outcome: 'recorded' } as never
    },
  }
  const clock = () => isolate.clock.now
  const api = createApi()
  api.use(requestContext)
  api.onError((thrown, c) =>
    thrown instanceof AppError
      ? c.json(errorBody(thrown, 'req_x', 'standard'))
      : c.json({ error: { code: 'internal_error' } }),
  )
  api.route('/', datasetRoutes({ store: isolate.store, operator, operatorTokens: [TOKEN], clock }))
  return async <T = Failure>(method: string, path: string, body?: BodyInit, headers: Record<string, string> = {}) => {
    const init = { method, headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'text/csv', ...headers } }
    const response = await api.request(`/api/operator/datasets${path}`, body === undefined ? init : { ...init, body })
    return (await response.json()) as T
  }
}

const served = async () => {
  const found = await openIsolate().store.findPointer()
  return found.outcome === 'ok' ? found.pointer : null
}

describe('POST /api/operator/datasets', () => {
  it('serves the file in the publisher’s name, after the ledger has it', async () => {
    const version = { archiveDate: '2026-09-24', publishedOn: '2026-10-09', hash: sha256Hex(twoDates) }
    const send = open()
    expect(await send('POST', ACCEPTING, twoDates)).toMatchObject({ published: true, manifest: { version } })
    const publisher = expect.stringContaining('NTPF') as string
    expect(await served()).toMatchObject({ version, source: { publisher, title: 'invented.csv' } })
    expect(acts).toEqual([['publish', { sha256: version.hash, archive_date: version.archiveDate }]])
  })

  it('serves nothing if the ledger does not answer', async () => {
    ledgerFails = true
    expect(await open()('POST', ACCEPTING, twoDates)).toMatchObject({ error: { code: 'service_unavailable' } })
    expect(await served()).toBeNull()
  })

  it('names each concern, and publishes once all are accepted', async () => {
    const send = open()
    const refused = await send('POST', PUBLISH, twoDates)
    expect(refused.error).toMatchObject({ code: 'conflict' })
    const kinds = [...new Set(refused.error.fields?.map(({ path }) => path))]
    expect(kinds).toEqual(['incomplete'])
    expect(await served()).toBeNull()
    expect(acts).toEqual([])
    expect(await send('POST', `${PUBLISH}&accept=${kinds.join(',')}`, twoDates)).toMatchObject({ published: true })
  })

  it('writes nothing in a dry run, and says what would have to be accepted', async () => {
    const [kv, r2] = [watch(env.DATASETS), watch(env.FILES)]
    const send = open(openIsolate({ kv: kv.watched, r2: r2.watched }))
    expect(await send('POST', `${PUBLISH}&dry_run=true`, twoDates)).toMatchObject({
      published: false,
      served: null,
      concerns: expect.arrayContaining([expect.objectContaining({ accept: 'incomplete' })]) as unknown,
    })
    expect([...kv.calls, ...r2.calls]).not.toContain('put')
    expect(acts).toEqual([])
  })

  it('says the line and the reason of a refusal', async () => {
    const bad = csv([LONG_HEADER, longRow({ total: 'x' })])
    const fields = [{ path: 'line 2', rule: expect.stringContaining('Expected a number of people') as string }]
    expect(await open()('POST', ACCEPTING, bad)).toMatchObject({ error: { code: 'invalid_request', fields } })
  })

  it.each([
    ['published_on=2026-13-40&file_name=a', 'invalid_request'],
    ['published_on=2999-01-01&file_name=a', 'invalid_request'],
    ['file_name=a', 'missing_parameter'],
    ['published_on=2026-10-09', 'missing_parameter'],
    ['published_on=2026-10-09&file_name=a&archive_date=2026-01-01', 'invalid_request'],
    ['published_on=2026-10-09&file_name=a&accept=older,', 'invalid_request'],
    ['published_on=2026-10-09&file_name=a&accept=all', 'invalid_request'],
    ['published_on=2026-10-09&file_name=a&title=%20', 'invalid_request'],
    ['published_on=2026-10-09&file_name=a&title=a%E2%80%AEb', 'invalid_request'],
    ['published_on=2026-10-09&file_name=a&source_url=javascript:alert(1)', 'invalid_request'],
    ['published_on=2026-10-09&file_name=inpatients.csv', 'invalid_request'],
  ])('refuses %s', async (query, code) => {
    expect(await open()('POST', `?${query}`, twoDates)).toMatchObject({ error: { code } })
    expect(await served()).toBeNull()
  })

  it('reads no body without the token, of another type, compressed, or over the limit', async () => {
    const send = open()
    const large = () =>
      new ReadableStream({
        type: 'bytes',
        pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
      })
    const codeOf = async (body: BodyInit, headers = {}) => (await send('POST', PUBLISH, body, headers)).error.code
    expect(await codeOf(twoDates, { authorization: 'Bearer wrong' })).toBe('invalid_credentials')
    expect(await codeOf(twoDates, { 'content-type': 'application/json' })).toBe('unsupported_media_type')
    expect(await codeOf(twoDates, { 'content-encoding': 'gzip' })).toBe('unsupported_media_type')
    expect(await codeOf(large())).toBe('payload_too_large')
  })
})

describe('serving and withdrawing', () => {
  it('goes back to a stored version, and withdraws the other', async () => {
    const send = open()
    await send('POST', ACCEPTING, twoDates)
    await send('POST', ACCEPTING, wide)
    const [first, second] = [sha256Hex(twoDates), sha256Hex(wide)]
    expect(await send('DELETE', `/${second}`)).toMatchObject({ error: { code: 'conflict', fields: [{ path: first }] } })
    expect(await send('POST', `/${first.slice(0, 8)}/serve`)).toMatchObject({ served: true, version: { hash: first } })
    expect(await send('DELETE', `/${second}`)).toMatchObject({ served: false, version: { hash: second } })
    expect(await send('GET', '')).toMatchObject({ data: [{ served: true, version: { hash: first } }] })
    expect(acts.slice(2).map(([act]) => act)).toEqual(['serve', 'withdraw', 'list'])
  })

  it('never withdraws the version that another isolate serves meanwhile', async () => {
    const [one, other] = [open(), open()]
    await one('POST', ACCEPTING, twoDates)
    await one('POST', ACCEPTING, wide)
    await other('POST', `/${sha256Hex(twoDates)}/serve`)
    expect(await one('DELETE', `/${sha256Hex(twoDates)}`)).toMatchObject({ error: { code: 'conflict' } })
  })

  it.each(['abc', 'f'.repeat(64), '..%2Fcurrent', '%2e%2e%2f'])('finds nothing under %s', async (hash) => {
    const send = open()
    await send('POST', ACCEPTING, twoDates)
    expect(await send('POST', `/${hash}/serve`)).toMatchObject({ error: { code: 'not_found' } })
    expect(await send('DELETE', `/${hash}`)).toMatchObject({ error: { code: 'not_found' } })
  })

  it('asks for the archive date if several of a file are stored', async () => {
    const send = open()
    await send('POST', ACCEPTING, twoDates)
    await send('POST', `${ACCEPTING}&archive_date=2026-08-27`, twoDates)
    const path = `/${sha256Hex(twoDates)}/serve`
    const { error } = await send('POST', path)
    expect([error.code, error.fields?.length]).toEqual(['conflict', 2])
    expect(await send('POST', `${path}?archive_date=2026-08-27`)).toMatchObject({ served: true })
  })
})
