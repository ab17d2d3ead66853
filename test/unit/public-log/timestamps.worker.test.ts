// The tokens over an hour's checkpoint in R2 and over HTTP: stored once, the same in both buckets wherever storing breaks off, and
// served as they were stored.
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { PublicLogFiles } from '../../../src/public-log/public-log-files.store.ts'
import { bucketWith, putThenFail } from '../../support/unit/bucket-with.ts'
import { startService, type Service } from '../../support/unit/service.ts'
import { refusalOf } from './strangers-view.ts'

const HOUR = '2026-11-20T13Z'
const KEY = `public-log/timestamps/${HOUR}.json`
const FIRST = '{"checkpoint":"first\\n","timestamp_token":"AAAA"}'
const SECOND = '{"checkpoint":"second\\n","timestamp_token":"BBBB"}'

let service: Service
beforeEach(() => {
  service = startService()
})

const get = (hour: string): Promise<Response> => service.fetch(`/v1/public/transparency/timestamps/${hour}`)

/** A second bucket: what it has, and what it does with the next put. */
function mirrorOf(kept: Map<string, string>): R2Bucket {
  return bucketWith({
    put: (async (key: string, value: string) => {
      if (kept.has(key)) return null
      kept.set(key, value)
      return {}
    }) as unknown as R2Bucket['put'],
    get: (async (key: string) => {
      const value = kept.get(key)
      return value === undefined ? null : new Response(value)
    }) as unknown as R2Bucket['get'],
  })
}

describe('a timestamp', () => {
  it('is stored once: what comes later changes nothing', async () => {
    const files = new PublicLogFiles(env.FILES)
    expect(await files.hasTimestamp(HOUR)).toBe(false)
    await files.storeTimestamp(HOUR, FIRST)
    await files.storeTimestamp(HOUR, SECOND)
    expect(await files.hasTimestamp(HOUR)).toBe(true)
    expect(await (await env.FILES.get(KEY))?.text()).toBe(FIRST)
  })

  it('is the same in both buckets where storing it broke off and is done again with another token', async () => {
    const kept = new Map<string, string>()
    const failing = bucketWith({ put: () => Promise.reject(new Error('cut off')) })
    await expect(new PublicLogFiles(failing, mirrorOf(kept)).storeTimestamp(HOUR, FIRST)).rejects.toThrow('cut off')
    expect(await new PublicLogFiles(env.FILES).hasTimestamp(HOUR)).toBe(false)
    await new PublicLogFiles(env.FILES, mirrorOf(kept)).storeTimestamp(HOUR, SECOND)
    expect([kept.get(KEY), await (await env.FILES.get(KEY))?.text()]).toEqual([FIRST, FIRST])
  })

  it('stays what it is where nobody learned that it was stored', async () => {
    const unsure = new PublicLogFiles(bucketWith({ put: putThenFail }))
    await expect(unsure.storeTimestamp(HOUR, FIRST)).rejects.toThrow('cut off')
    await new PublicLogFiles(env.FILES).storeTimestamp(HOUR, SECOND)
    expect(await new PublicLogFiles(env.FILES).readTimestamp(HOUR)).toBe(FIRST)
  })

  it('is read from the second bucket where the first has lost it', async () => {
    const files = new PublicLogFiles(env.FILES, mirrorOf(new Map([[KEY, FIRST]])))
    expect(await files.readTimestamp(HOUR)).toBe(FIRST)
    expect(await files.readTimestamp('2026-11-20T14Z')).toBeNull()
  })
})

describe('readPublicTimestamp', () => {
  it('gives what was stored, byte for byte, for ever', async () => {
    await env.FILES.put(KEY, FIRST)
    const response = await get(HOUR)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(await response.text()).toBe(FIRST)
  })

  it('is 404 for an hour that has none, and 400 for what is no hour', async () => {
    expect(await refusalOf(await get('2026-11-20T14Z'))).toMatchObject({ status: 404, code: 'not_found' })
    for (const hour of ['2026-11-20T24Z', '2026-11-20', 'head.json', encodeURIComponent('../head')]) {
      expect(await refusalOf(await get(hour)), hour).toMatchObject({ status: 400, code: 'invalid_request' })
    }
  })
})
