// The content of an organisation as its object knows it: where it is to go, what became of it, who may have it, and that it is gone.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ContentPlace } from '../../../../src/organisation/content/content-object.ts'
import { getContent, putContent } from '../../../../src/organisation/content/content-bucket.store.ts'
import type { ReportedContent } from '../../../../src/organisation/admit/settle-chat.ts'
import { createSigner, throwAwayKeys } from '../../../../src/evidence/records/configured-keys.ts'
import { readConfig } from '../../../../src/platform/config.ts'
import { completeTile, openParts } from '../journal/archived-ledger.ts'
import { publishAll } from '../../public-log/opened-log.ts'
import { foundOrganisation, hashOf, noon, type ChatKey, type ChatOrganisation } from '../chat-organisation.ts'

const DAY_MS = 86_400_000
const PLAIN = Uint8Array.from(new TextEncoder().encode('{"request":{},"answer":"quicksilver"}'))
const PERSON = 'usr_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'
const READ = { actor: PERSON, act: 'content.read', requestId: 'req_1' } as const
const ERASE = { ...READ, act: 'content.erase' }

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const objectOf = ({ id }: ChatOrganisation) => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))

type Call = { attestationId: string; position: number; place: ContentPlace | null }

async function admit(organisation: ChatOrganisation, key: ChatKey): Promise<Call> {
  const admission = await organisation.admit(key)
  if (admission.outcome !== 'admitted') throw new Error(admission.outcome)
  const { position, record, contentPlace: place } = admission
  return { attestationId: record.attestation_id, position, place }
}

function placeOf({ place }: Call): ContentPlace {
  if (place === null) throw new Error('nothing is to be kept')
  return place
}

const put = async (call: Call): Promise<ReportedContent> => ({
  name: placeOf(call).name,
  ...(await putContent(env.FILES, placeOf(call), PLAIN)),
})

/** An organisation that keeps content for 30 days, and a call of it whose content is kept. */
async function keepOne(days = 30) {
  const organisation = await foundOrganisation({ tier: 'pro', content_logging: { retention_days: days } })
  const key = await organisation.issueKey()
  const call = await admit(organisation, key)
  const kept = await put(call)
  await organisation.settle(call.position, 5, { content: kept })
  return { organisation, key, call, kept }
}

const open = async (organisation: ChatOrganisation, { attestationId }: Call) =>
  objectOf(organisation).content.open(attestationId, READ)

const none = (why: string) => ({ outcome: 'none', why })

it('the content of one call is erased together with the copies of its answer that are kept to be given again', async () => {
  const organisation = await foundOrganisation({
    tier: 'pro',
    content_logging: { retention_days: 30 },
    idempotent_replays: true,
  })
  await objectOf(organisation).policy.change({ document: { cache: { ttl_seconds: 60 } }, ifVersion: null }, READ)
  const key = await organisation.issueKey()
  const same = {
    requestHash: hashOf('a request'),
    idempotencyKeyHash: Uint8Array.fromHex(hashOf('k')),
  }
  const first = await organisation.admit(key, same)
  if (first.outcome !== 'admitted' || first.keep?.cacheEntry == null) throw new Error(first.outcome)
  const { attestation_id: attestationId } = first.record
  const { name: object } = first.keep.place
  await env.FILES.put(object, 'sealed')
  const entry = { ...first.keep.cacheEntry, object, attestationId, answer: null }
  await organisation.settle(first.position, 5, {}, { released: null, cached: entry })
  expect(await objectOf(organisation).content.erase(attestationId, ERASE)).toMatchObject({ outcome: 'erased' })
  expect(await env.FILES.head(object)).toBeNull()
  expect(await organisation.admit(key, same)).toMatchObject({ outcome: 'repeated', isRunning: false, answer: null })
  expect(await organisation.admit(key, { ...same, idempotencyKeyHash: null })).toMatchObject({ cached: null })
})

describe('an admitted call', () => {
  it('is told where its content goes only where its organisation keeps that, until when that says', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    expect((await admit(organisation, key)).place).toBeNull()
    expect(await organisation.query('SELECT * FROM data_keys')).toEqual([])
    await organisation.set({ content_logging: { retention_days: 30 } })
    const call = await admit(organisation, key)
    expect(placeOf(call).expiresAt).toBe(noon + 30 * DAY_MS)
    expect(placeOf(call).name).toContain(`/${Math.floor(noon / DAY_MS) + 30}/call-${call.attestationId}-`)
    await organisation.set({ content_logging: null })
    expect((await admit(organisation, key)).place).toBeNull()
    const [before, during] = await organisation.entries()
    expect(before).not.toHaveProperty('content')
    expect(during).toMatchObject({ content: { expires_at: new Date(noon + 30 * DAY_MS).toISOString() } })
  })

  it('has the same place for nobody else, and after its object was evicted the next has the same line of keys', async () => {
    const { organisation, key, call } = await keepOne()
    await organisation.evict()
    const next = await admit(organisation, key)
    expect(placeOf(next).key).not.toEqual(placeOf(call).key)
    expect(placeOf(next).name.slice(-16)).toBe(placeOf(call).name.slice(-16))
  })
})

describe('a settlement', () => {
  it('has the hash and the length of what is sealed, and no name', async () => {
    const { organisation, kept } = await keepOne()
    const [, settlement] = await organisation.entries()
    expect(settlement).toMatchObject({ content: { sha256: kept.sha256, bytes: kept.bytes } })
    expect(JSON.stringify(settlement)).not.toContain('content/')
    await organisation.state()
  })

  it('says that it was lost where it could not be put', async () => {
    const organisation = await foundOrganisation({ tier: 'pro', content_logging: { retention_days: 30 } })
    const call = await admit(organisation, await organisation.issueKey())
    const settled = await organisation.settle(call.position, 5, { content: 'lost' })
    expect(settled).toMatchObject({ outcome: 'settled', isContentKept: false })
    expect((await organisation.entries())[1]).toMatchObject({ content: 'lost' })
    expect(await open(organisation, call)).toEqual(none('lost'))
  })

  it('says the same where the key was destroyed while the call ran', async () => {
    const { organisation, key } = await keepOne()
    const call = await admit(organisation, key)
    const kept = await put(call)
    await objectOf(organisation).content.eraseAll({ ...READ, act: 'content.erase_all' })
    const settled = await organisation.settle(call.position, 5, { content: kept })
    expect(settled).toMatchObject({ outcome: 'settled', isContentKept: false })
    expect((await organisation.entries()).at(-1)).toMatchObject({ content: 'lost' })
  })

  it('of a call that was cut off says nothing, and what was put is not handed out', async () => {
    const { organisation, key } = await keepOne()
    const call = await admit(organisation, key)
    const kept = await put(call)
    expect(await open(organisation, call)).toEqual(none('running'))
    vi.setSystemTime(noon + 16 * 60_000)
    await organisation.runAlarm()
    expect((await organisation.entries()).at(-1)).not.toHaveProperty('content')
    expect(await open(organisation, call)).toEqual(none('lost'))
    expect(await organisation.settle(call.position, 5, { content: kept })).toEqual({ outcome: 'not_open' })
    expect(await objectOf(organisation).content.erase(call.attestationId, ERASE)).toMatchObject({ outcome: 'erased' })
    expect(await env.FILES.head(kept.name)).toBeNull()
  })
})

describe('openContent', () => {
  it('tells where it is once the ledger says who asked', async () => {
    const { organisation, call, kept } = await keepOne()
    const opened = await open(organisation, call)
    expect(opened).toEqual({
      outcome: 'opened',
      place: placeOf(call),
      stored: { sha256: kept.sha256, bytes: kept.bytes },
    })
    if (opened.outcome !== 'opened') return
    expect(await getContent(env.FILES, opened.place, opened.stored)).toEqual({ outcome: 'opened', plain: PLAIN })
    expect((await organisation.entries()).at(-1)).toMatchObject({
      kind: 'member_act',
      act: 'content.read',
      actor: PERSON,
      attestation_id: call.attestationId,
      position: call.position,
    })
  })

  it('tells nothing once its time is over, and until then it does', async () => {
    const { organisation, call } = await keepOne(2)
    vi.setSystemTime(noon + 2 * DAY_MS - 1)
    expect(await open(organisation, call)).toMatchObject({ outcome: 'opened' })
    vi.setSystemTime(noon + 2 * DAY_MS)
    const before = (await organisation.entries()).length
    expect(await open(organisation, call)).toEqual(none('over'))
    expect((await organisation.entries()).length).toBe(before)
  })

  it('finds a call whose entries have left the database', async () => {
    const { organisation, call, kept } = await keepOne()
    await runInDurableObject(objectOf(organisation), (_, { storage, id }) =>
      completeTile(openParts(storage, id.toString()), Date.now()),
    )
    await organisation.evict()
    await organisation.runAlarm()
    await publishAll({ signer: createSigner(throwAwayKeys(readConfig(env).signingPepper.bytes)) })
    vi.setSystemTime(noon + 10 * DAY_MS)
    for (let alarms = 0; alarms < 10; alarms += 1) await organisation.runAlarm()
    expect(await organisation.query('SELECT MIN(position) AS first FROM entries')).toEqual([{ first: 256 }])
    expect(await open(organisation, call)).toMatchObject({ outcome: 'opened', stored: { sha256: kept.sha256 } })
  })

  it('tells nothing of a refusal', async () => {
    const organisation = await foundOrganisation({
      tier: 'free',
      retention_days: 7,
      content_logging: { retention_days: 7 },
    })
    const refused = await organisation.admit(await organisation.issueKey(), { costEffective: false })
    if (refused.outcome !== 'model_not_allowed') throw new Error(refused.outcome)
    const found = await objectOf(organisation).content.open(refused.record.attestation_id, READ)
    expect(found).toEqual(none('not_logged'))
  })
})

describe('an erasure of content', () => {
  it('of one call deletes its object before the ledger says so, and may be done again', async () => {
    const { organisation, call, kept } = await keepOne()
    const failing = objectOf(organisation)
    for (let time = 0; time < 2; time += 1) {
      const { length } = await organisation.query('SELECT position FROM entries')
      const erased = await failing.content.erase(call.attestationId, ERASE)
      expect(erased).toEqual({ outcome: 'erased', position: length })
      expect(await env.FILES.head(kept.name)).toBeNull()
    }
    expect((await organisation.entries()).at(-1)).toMatchObject({
      act: 'content.erase',
      attestation_id: call.attestationId,
      position: call.position,
    })
  })

  it('of one call takes what is kept of its answer for a repeat, also where nothing else is kept', async () => {
    const organisation = await foundOrganisation({ tier: 'pro', idempotent_replays: true })
    const key = await organisation.issueKey()
    const admission = await organisation.admit(key, { idempotencyKeyHash: new Uint8Array(32) })
    if (admission.outcome !== 'admitted' || admission.keep === null) throw new Error(admission.outcome)
    const { position, record, keep } = admission
    await putContent(env.FILES, keep.place, PLAIN)
    const object = objectOf(organisation)
    expect(await object.content.erase(record.attestation_id, ERASE)).toEqual(none('running'))
    await organisation.settle(position, 5)
    expect(await object.content.erase(record.attestation_id, ERASE)).toMatchObject({ outcome: 'erased' })
    expect(await env.FILES.head(keep.place.name)).toBeNull()
  })

  it('of one call takes its answer out of the cache’s reach', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const call = await admit(organisation, await organisation.issueKey())
    const name = `content/an-object/70000/answer-${call.attestationId}-00112233aabbccdd`
    await env.FILES.put(name, PLAIN)
    await organisation.settle(call.position, 5)
    await organisation.query(
      `INSERT INTO cache_entries (key, object, expires_at, attestation_id)
       VALUES (randomblob(32), '${name}', ${noon + DAY_MS}, '${call.attestationId}')`,
    )
    expect(await objectOf(organisation).content.erase(call.attestationId, ERASE)).toMatchObject({ outcome: 'erased' })
    expect(await env.FILES.head(name)).toBeNull()
  })

  it('of all destroys the key and leaves the ledger as it is', async () => {
    const { organisation, call, key } = await keepOne()
    const before = await organisation.entries()
    const position = await objectOf(organisation).content.eraseAll({ ...READ, act: 'content.erase_all' })
    expect(await organisation.entries()).toEqual([...before, expect.objectContaining({ act: 'content.erase_all' })])
    expect(await organisation.find(position)).toMatchObject({ outcome: 'found' })
    expect(await organisation.query("SELECT key FROM data_keys WHERE purpose = 'content'")).toEqual([{ key: null }])
    expect(await open(organisation, call)).toEqual(none('erased'))
    expect(await objectOf(organisation).content.erase(call.attestationId, ERASE)).toEqual(none('erased'))
    await organisation.runAlarm()
    expect(await env.FILES.head(placeOf(call).name)).toBeNull()
    const later = await admit(organisation, key)
    await organisation.settle(later.position, 5, { content: await put(later) })
    expect(await open(organisation, later)).toMatchObject({ outcome: 'opened' })
  })
})
