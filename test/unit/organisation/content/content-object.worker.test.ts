// Tests the content of a call, sealed in R2: who can read it, and by which key.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { ContentKeys } from '../../../../src/organisation/content/content-keys.ts'
import { contentPlaceOf } from '../../../../src/organisation/content/content-object.ts'
import { getContent, putContent } from '../../../../src/organisation/content/content-bucket.store.ts'
import { DataKeysStore } from '../../../../src/organisation/journal/data-keys.store.ts'
import { bucketWith } from '../../../support/unit/bucket-with.ts'

const MARK = 'quicksilver-marigold'
const DAY_MS = 86_400_000
const now = Date.UTC(2026, 10, 20, 12)
const wanted = { attestationId: '9b2f4c1e-0000-4000-8000-000000000001', kind: 'call', expiresAt: now + DAY_MS } as const
const bytesOf = (text: string) => Uint8Array.from(new TextEncoder().encode(text))

let objects = 0

const inStorage = <T>(work: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T> =>
  runInDurableObject(
    env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(`org_of_content_${(objects += 1)}`)),
    (_, { storage }) => work(storage),
  )

const dataKey = { number: 1, bytes: new Uint8Array(32).fill(7), fingerprint: '00112233aabbccdd' }
const place = contentPlaceOf(dataKey, { object: 'an-object', ...wanted })

describe('a place of content', () => {
  it('is named by object, day, kind, decision and key', () => {
    expect(place.name).toBe('content/an-object/20778/call-9b2f4c1e-0000-4000-8000-000000000001-00112233aabbccdd')
  })

  it('has a key of its own: HKDF-SHA-256 of the data key, salted by the decision', async () => {
    const key = await crypto.subtle.importKey('raw', dataKey.bytes, 'HKDF', false, ['deriveBits'])
    const [salt, info] = [bytesOf(wanted.attestationId), bytesOf('content-v1')]
    const derived = await crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, 256)
    expect(place.key.toHex()).toBe(new Uint8Array(derived).toHex())
    const other = contentPlaceOf(dataKey, { object: 'an-object', ...wanted, attestationId: 'another' })
    expect(other.key).not.toEqual(place.key)
  })
})

describe('content', () => {
  it.each([0, 20, 32 * 1024 - 1, 32 * 1024, 300_000])('of %i bytes comes back as it was put', async (length) => {
    const plain = bytesOf(MARK.repeat(length / MARK.length + 1).slice(0, length))
    const stored = await putContent(env.FILES, place, plain)
    expect(await getContent(env.FILES, place, stored)).toEqual({ outcome: 'opened', plain })
    const sealed = await (await env.FILES.get(place.name))?.bytes()
    expect(new TextDecoder('latin1').decode(sealed)).not.toContain('quicksilver')
    expect(stored.bytes).toBe(sealed?.length)
  })

  it('is compressed where it is long, and only there', async () => {
    expect((await putContent(env.FILES, place, new Uint8Array(32 * 1024 - 1))).bytes).toBeGreaterThan(32 * 1024)
    expect((await putContent(env.FILES, place, new Uint8Array(32 * 1024))).bytes).toBeLessThan(1024)
  })

  it('does not open under the key of another call, from another place, or changed', async () => {
    const stored = await putContent(env.FILES, place, bytesOf(MARK))
    const damaged = { outcome: 'object_damaged' }
    const another = contentPlaceOf(dataKey, { object: 'an-object', ...wanted, attestationId: 'another' })
    expect(await getContent(env.FILES, { ...place, key: another.key }, stored)).toEqual(damaged)
    const sealed = (await (await env.FILES.get(place.name))?.bytes()) ?? new Uint8Array()
    await env.FILES.put(another.name, sealed)
    expect(await getContent(env.FILES, { ...another, key: place.key }, stored)).toEqual(damaged)
    await putContent(env.FILES, place, bytesOf(MARK))
    expect(await getContent(env.FILES, place, stored)).toEqual(damaged)
  })

  it('says what is missing and what could not be fetched', async () => {
    const stored = await putContent(env.FILES, place, bytesOf(MARK))
    const failing = bucketWith({ get: () => Promise.reject(new Error('cut off')) })
    expect(await getContent(failing, place, stored)).toEqual({ outcome: 'storage_failed' })
    await env.FILES.delete(place.name)
    expect(await getContent(env.FILES, place, stored)).toEqual({ outcome: 'object_missing' })
  })
})

describe('the keys of content', () => {
  it('are a line of their own: destroyed, they leave the ledger readable, and what comes later has another', async () => {
    await inStorage(({ sql }) => {
      const [ledger, content] = [new DataKeysStore(sql, 'ledger'), new DataKeysStore(sql, 'content')]
      const keys = new ContentKeys(sql, 'an-object')
      const before = keys.place(wanted, now)
      const sealing = ledger.current()
      expect(keys.place(wanted, now)).toEqual(before)
      expect(content.current().bytes).not.toEqual(sealing.bytes)
      const { fingerprint, number } = content.current()
      expect(keys.find(wanted, fingerprint)).toEqual(before)
      expect(keys.canRead(before.name)).toBe(true)

      expect(keys.destroy(now)).toBe(true)
      expect(keys.find(wanted, fingerprint)).toBeNull()
      expect(keys.canRead(before.name)).toBe(false)
      expect(content.find(number)).toBeNull()
      expect(ledger.current()).toEqual(sealing)
      expect(keys.destroy(now)).toBe(false)

      const after = keys.place(wanted, now)
      expect([after.name === before.name, after.key]).not.toEqual([true, before.key])
      expect(keys.find(wanted, fingerprint)).toBeNull()
    })
  })

  it('never seal entries', async () => {
    await inStorage(({ sql }) => {
      const { number } = new DataKeysStore(sql, 'content').current()
      sql.exec("INSERT INTO sealed_details (first, last, expires_day, rows, key_fingerprint) VALUES (0, 0, 1, 1, 'ab')")
      const seal = (key: number) => sql.exec('UPDATE sealed_details SET data_key = ?', key)
      expect(() => seal(number)).toThrow('entries are not sealed under a key of content')
      expect(() => seal(new DataKeysStore(sql, 'ledger').current().number)).not.toThrow()
    })
  })
})
