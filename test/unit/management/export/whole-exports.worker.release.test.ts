// An export of a long ledger is whole, or does not say that it is; and it is made no faster than it is read.
import { parse } from 'csv-parse/sync'
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { verifyRecord } from '../../../../src/evidence/records/verify-record.ts'
import { leafHash } from '../../../../src/evidence/entry.ts'
import { eraseTables } from '../../../../src/organisation/erasure/erase-tables.ts'
import { EntriesStore } from '../../../../src/organisation/journal/entries.store.ts'
import { objectNames } from '../../organisation/journal/archived-ledger.ts'
import { noon } from '../../organisation/chat-organisation.ts'
import { manage, type Managed } from '../managed.ts'
import { exportJson, fillLedger, objectOf, PATH, putAway, watchingPages, type Listed } from './exported.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const COUNT = 3000

async function publicKeyOf({ organisation }: Managed): Promise<string> {
  const response = await organisation.service.fetch('/v1/attestation/public-key')
  return (await response.json<{ public_key: string }>()).public_key
}

/** Most of its ledger is in sealed objects. */
async function manageLong(bindings: object = {}): Promise<Managed> {
  const managed = await manage({ tier: 'pro' }, bindings)
  await fillLedger(managed, COUNT - 500, await publicKeyOf(managed))
  await putAway(managed)
  await fillLedger(managed, 500, await publicKeyOf(managed))
  expect((await objectNames()).length).toBeGreaterThan(5)
  return managed
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

/** Rebuilds the entry that the leaf hashes from what was exported. */
function entryOf({ kind, salt, content }: Listed): Uint8Array {
  const tags: Record<string, number> = {
    settlement: 0x80,
    referral_decision: 0x81,
    operator_act: 0x82,
    member_act: 0x83,
  }
  const tag = Uint8Array.of(tags[String(kind)] ?? 0)
  const random = Uint8Array.fromHex(typeof salt === 'string' ? salt : '')
  const text = new TextEncoder().encode(JSON.stringify(content))
  return new Uint8Array([...tag, ...random, ...text])
}

describe('an export of a long ledger', () => {
  it('has every entry once and in order, with what makes its leaf, and every record as it was signed', async () => {
    const managed = await manageLong()
    const exported = await exportJson(await managed.signIn('owner'))
    const size = COUNT + 2
    expect([exported.tree_size, exported.complete, exported.unreadable_entries]).toEqual([size, true, 0])
    expect(exported.audit.map(({ id }) => id)).toEqual(upTo(size))
    expect(exported.audit.filter((entry) => leafHash(entryOf(entry)).toHex() !== entry['leaf_hash'])).toEqual([])
    expect(exported.receipts).toHaveLength(COUNT / 2)
    const trust = { keys: [await publicKeyOf(managed)] }
    // Checking takes the longest by far.
    const some = exported.receipts.filter((_, n) => n % 50 === 0)
    expect(some.filter(({ record }) => !verifyRecord(record, trust).valid)).toEqual([])
  })

  it('is the same in CSV', async () => {
    const managed = await manageLong()
    const owner = await managed.signIn('owner')
    const rows = parse(await (await owner.ask('GET', `${PATH}?format=csv`)).text(), { record_delimiter: '\r\n' })
    const ids = (section: string, field: string): (string | undefined)[] =>
      rows.filter((row) => row[0] === section && row[2] === field).map(([, id]) => id)
    expect(ids('audit', 'leaf_hash')).toEqual(upTo(COUNT + 2).map(String))
    expect(new Set(ids('receipts', 'signature')).size).toBe(COUNT / 2)
    expect(rows.at(-1)).toEqual(['export', rows[1]?.[1], 'complete', 'true'])
  })

  it('ends at its own entry, whatever is written meanwhile', async () => {
    const managed: Managed = await manageLong(watchingPages(() => fillLedger(managed, 10, 'A'.repeat(43))))
    const exported = await exportJson(await managed.signIn('owner'), '?section=audit')
    expect(exported.audit.map(({ id }) => id)).toEqual(upTo(exported.tree_size))
    expect(exported.audit.at(-1)).toMatchObject({ content: { act: 'settings.export' } })
  })

  it('is whole though pages fail twice', async () => {
    const failing = watchingPages((asked) => {
      if (asked % 3 !== 2) throw new Error('cut off')
    })
    const managed = await manageLong(failing)
    const exported = await exportJson(await managed.signIn('owner'), '?section=audit')
    expect([exported.complete, exported.audit.length]).toEqual([true, COUNT + 2])
  })
})

describe('an export that is not whole', () => {
  it.each(['json', 'csv'])('as %s has no end where a page cannot be read', async (format) => {
    const failing = watchingPages((asked) => {
      if (asked >= 2) throw new Error('cut off')
    })
    const { ask } = await (await manageLong(failing)).signIn('owner')
    const errors = vi.spyOn(console, 'error')
    const response = await ask('GET', `${PATH}?format=${format}`)
    const text = await response.text().catch(() => 'broken off')
    expect(text).not.toContain('complete')
    expect(() => void JSON.parse(text)).toThrow()
    expect(errors.mock.calls.join()).toContain('"outcome":"broken_off"')
  })

  it('says so where an object is lost, and how many entries it lacks', async () => {
    const managed = await manageLong()
    await env.FILES.delete((await objectNames()).slice(0, 1))
    const owner = await managed.signIn('owner')
    const exported = await exportJson(owner)
    expect(exported.complete).toBe(false)
    expect(exported.audit.length + exported.unreadable_entries).toBe(COUNT + 2)
    const rows = parse(await (await owner.ask('GET', `${PATH}?format=csv&section=receipts`)).text())
    expect(rows.at(-1)?.slice(0, 2)).toEqual(['incomplete', String(rows.length - 2)])
  })

  it('says so where the organisation was erased meanwhile', async () => {
    const erasing = watchingPages(async (asked) => {
      if (asked !== 1) return
      await runInDurableObject(objectOf(managed), (_, { storage: { sql } }) => {
        while (new EntriesStore(sql).eraseNext(0)) continue
        eraseTables(sql)
      })
    })
    const managed: Managed = await manageLong(erasing)
    const exported = await exportJson(await managed.signIn('owner'), '?section=audit')
    expect([exported.complete, exported.unreadable_entries]).toEqual([false, 0])
  })

  it('says so, and ends, where it was sealed before its keys were read', async () => {
    const sealing = watchingPages(async (asked) => {
      if (asked > 0) return
      await managed.organisation.query(
        `INSERT INTO erasure (id, erasure_id, subject, jurisdiction, requested_by, requested_at, due_at, state, is_sealed)
         VALUES (1, 'era_a', 'org_a', 'eu', 'usr_a', 1, 1, 'running', 1)`,
      )
      await managed.organisation.evict()
    }, 'keys.list')
    const managed = await manage({}, sealing)
    const exported = await exportJson(await managed.signIn('owner'))
    expect(exported).toMatchObject({
      complete: false,
      keys: [],
      settings: { tier: 'pro' },
      organisation: { tier: 'pro' },
    })
  })

  it('gives a record no signature that its key does not make any more', async () => {
    const managed = await manage()
    await fillLedger(managed, 1, 'A'.repeat(43))
    const { receipts } = await exportJson(await managed.signIn('clinician'))
    expect(receipts).toMatchObject([{ record: { public_key: 'A'.repeat(43), signature: null } }])
  })
})

/** An export that is begun to be read; `pages`: how many were asked for. */
async function readAudit() {
  let pages = 0
  const managed = await manageLong(
    watchingPages(() => {
      pages += 1
    }),
  )
  const { ask } = await managed.signIn('owner')
  const { body } = await ask('GET', `${PATH}?section=audit`)
  return { managed, reader: body?.getReader(), pages: () => pages }
}

describe('whoever reads it', () => {
  it('is waited for: no page is asked for before what is there is read', async () => {
    const { reader, pages } = await readAudit()
    for (let n = 0; n < 3; n += 1) await reader?.read()
    expect(pages()).toBeLessThanOrEqual(2)
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) continue
    expect(pages()).toBeGreaterThanOrEqual(4)
  })

  it('has an hour: what has no end by then is broken off', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const { ask } = await (await manageLong()).signIn('owner')
    const response = await ask('GET', `${PATH}?section=audit`)
    vi.setSystemTime(noon + 3_600_000)
    const errors = vi.spyOn(console, 'error')
    expect(await response.text().catch(() => 'broken off')).not.toContain('complete')
    expect(errors.mock.calls.join()).not.toContain('export_ended')
  })

  it('ends it by leaving', async () => {
    const { managed, reader, pages } = await readAudit()
    await reader?.read()
    await reader?.cancel()
    const atLeaving = pages()
    await managed.organisation.query('SELECT 1')
    expect(pages()).toBe(atLeaving)
    expect(atLeaving).toBeLessThanOrEqual(2)
  })
})
