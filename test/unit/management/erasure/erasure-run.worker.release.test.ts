// Erasing an organisation: whatever step it is cut off after, it comes to its end, leaves hashes and nothing else, and signs
// what it then finds. Nobody else loses anything.
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { canonicalJson } from '../../../../src/evidence/records/canonical-json.ts'
import { findErasureFault } from '../../../../src/evidence/records/erasure-record.ts'
import { verifyInclusion } from '../../../../src/evidence/tree/verify-proof.ts'
import { ErasureRun } from '../../../../src/organisation/erasure/erasure-run.ts'
import { ERASURE_STEPS, type ErasureStep } from '../../../../src/organisation/erasure/erasure.ts'
import { bucketWith } from '../../../support/unit/bucket-with.ts'
import { Organisation } from '../../../../src/organisation/organisation.do.ts'
import { frontierFromBytes } from '../../../../src/evidence/tree/frontier.ts'
import { readSnapshot } from '../../../../src/organisation/journal/state/snapshot.ts'
import { emptyState } from '../../../../src/organisation/journal/state/organisation-state.ts'
import { noon, positionOf } from '../../organisation/chat-organisation.ts'
import { ask } from '../../organisation/usage/counted-organisation.ts'
import {
  askFor,
  asPerson,
  DAY_MS,
  dumpD1,
  everythingStored,
  foundErasable,
  invite,
  join,
  MARK,
  putObjects,
  signedIn,
  writeMarked,
  type Erasable,
} from './erasable.ts'

let logged: string[]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  logged = []
  vi.spyOn(console, 'error').mockImplementation((line) => logged.push(String(line)))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** With all that an organisation has: details at hand and sealed, keys, members, an open call. */
async function used(): Promise<Erasable & { key: string }> {
  const organisation = await foundErasable()
  const { key } = await organisation.service.createKey({ prefix: 'aqta_', name: `A key of ${MARK}` }, organisation.id)
  const caller = await organisation.issueKey()
  const position = positionOf(await organisation.admit(caller, { useCase: MARK }))
  await organisation.settle(position, 0)
  positionOf(await organisation.admit(caller, { useCase: MARK }))
  // A counted call is stored with its use case and its key.
  expect((await ask(organisation)).totals.requests).toBe(1)
  await invite(organisation.id, `invited@${MARK}.example`, organisation.owner.id)
  const which = { 'x-aqta-organisation': organisation.id }
  await asPerson(
    organisation.owner,
    'PUT',
    '/api/compliance/statements/X2',
    { text: `Of ${MARK}.`, looked_at: MARK },
    which,
  )
  await organisation.query(
    `INSERT INTO reports VALUES ('rep_1', 0, ${noon + DAY_MS}, 'usr_1', '', '', '', 0, CAST('${MARK}' AS BLOB))`,
  )
  await writeMarked(organisation, 20, noon)
  await putObjects(organisation, 3)
  return { ...organisation, key }
}

const objectOf = ({ id }: Erasable) => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))

async function trusted(organisation: Erasable): Promise<string> {
  const answer = await organisation.service.fetch('/v1/attestation/public-key')
  return (await answer.json<{ public_key: string }>()).public_key
}

async function readRecord(organisation: Erasable, id: unknown): Promise<{ status: number; record: unknown }> {
  const answer = await organisation.service.fetch(`/v1/erasures/${String(id)}`)
  return { status: answer.status, record: await answer.json() }
}

async function expectErased(organisation: Erasable, id: unknown): Promise<void> {
  const { status, record } = await readRecord(organisation, id)
  expect(status).toBe(200)
  expect(findErasureFault(record, { keys: [await trusted(organisation)] })).toBeNull()
  expect(record).toMatchObject({ org_id: organisation.id })
  expect(JSON.stringify(record)).not.toContain('usr_')
  const stored = await everythingStored(organisation)
  expect(stored).not.toContain(MARK)
  expect(stored).not.toContain(organisation.owner.email)
}

describe('an erasure', () => {
  it('leaves the leaves, the ids of receipts and the log’s edge, and nothing that says anything', async () => {
    const organisation = await used()
    const leaves = await organisation.query('SELECT position, hash, id FROM entries ORDER BY position')
    expect(leaves.filter(({ id }) => id !== null)).toHaveLength(2)
    const { body } = await organisation.request({ immediately: true })
    expect((await readRecord(organisation, body['id'])).status).toBe(404)
    await organisation.wakeUntilDone()
    await expectErased(organisation, body['id'])
    const left = await organisation.query('SELECT * FROM entries ORDER BY position')
    expect(left.slice(0, leaves.length).map(({ position, hash, id }) => ({ position, hash, id }))).toEqual(leaves)
    const nothing = { at: 0, expires_at: 0, key_id: null, outcome: null, loop: null, microeur: null, settles: null }
    for (const row of left) expect(row).toMatchObject({ ...nothing, entry: new ArrayBuffer(), facts: null })
    const { frontier, ...rest } = readSnapshot((await snapshotsOf(organisation))['oldest'] ?? '')
    expect(frontierFromBytes(Uint8Array.fromHex(frontier)).size).toBe(left.length)
    const counts = { ...emptyState().counts, from: left.length }
    expect(rest.state).toEqual({ ...emptyState(), next: left.length, counts })
    expect(await organisation.alarmAt()).toBeNull()
  })

  it('waits for its day, and then needs nobody', async () => {
    const organisation = await used()
    const { body } = await organisation.request()
    expect(body).toMatchObject({ status: 'scheduled', due_at: new Date(noon + 7 * DAY_MS).toISOString() })
    vi.setSystemTime(noon + 7 * DAY_MS - 1)
    await runDurableObjectAlarm(objectOf(organisation))
    expect((await readRecord(organisation, body['id'])).status).toBe(404)
    expect(await organisation.alarmAt()).toBe(noon + 7 * DAY_MS)
    vi.setSystemTime(noon + 7 * DAY_MS)
    await organisation.wakeUntilDone()
    await expectErased(organisation, body['id'])
  })

  it('takes every sealed object, more than can be listed at once', async () => {
    const organisation = await foundErasable()
    await putObjects(organisation, 1500)
    const { body } = await organisation.request({ immediately: true })
    await organisation.wakeUntilDone()
    await expectErased(organisation, body['id'])
    for (const prefix of ['ledger/', 'content/']) expect((await env.FILES.list({ prefix })).objects).toEqual([])
  })

  it('takes entries in steps, however many there are', async () => {
    const organisation = await foundErasable()
    await writeMarked(organisation, 11_000, noon)
    const { body } = await organisation.request({ immediately: true })
    await organisation.wakeUntilDone()
    await expectErased(organisation, body['id'])
  })

  it('is one leaf of the operator’s ledger and holds no name there', async () => {
    const organisation = await used()
    const { body } = await organisation.request({ immediately: true })
    await organisation.wakeUntilDone()
    const operator = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName('operator'))
    const told = await operator.erasure.findErased(String(body['id']))
    expect(told).toMatchObject({ subject: organisation.id, jurisdiction: 'eu' })
    expect(JSON.parse(told?.record ?? '')).toEqual((await readRecord(organisation, body['id'])).record)
    expect(JSON.stringify(await operator.erasure.listErased(100, undefined))).not.toContain(MARK)
  })

  it('touches no other organisation, nor a person who is a member of one', async () => {
    const [organisation, other] = [await used(), await used()]
    const shared = await signedIn()
    await join(organisation.id, shared, 'admin')
    await join(other.id, shared, 'admin')
    const before = await everythingStored(other)
    const { body } = await organisation.request({ immediately: true })
    await organisation.wakeUntilDone()
    expect((await readRecord(organisation, body['id'])).status).toBe(200)

    expect(
      (await other.inStorage(({ sql }) => sql.exec('SELECT entry FROM entries WHERE length(entry) > 0').toArray()))
        .length,
    ).toBeGreaterThan(20)
    expect((await env.FILES.list({ prefix: `ledger/${await other.objectId()}/` })).objects).toHaveLength(3)
    const after = await dumpD1()
    for (const kept of [other.owner.id, other.owner.email, shared.id, shared.email]) {
      expect(before).toContain(kept)
      expect(after).toContain(kept)
    }
    expect(after).not.toContain(organisation.owner.email)
    expect((await askFor(other.key, '/v1/models')).status).toBe(200)
    const asked = await asPerson(shared, 'GET', '/api/settings/erasure')
    expect([asked.status, asked.body]).toMatchObject([403, { error: { code: 'role_required' } }])
  })

  it('leaves whoever has asked to be erased themselves to their own day', async () => {
    const organisation = await used()
    const { body } = await organisation.request({ immediately: true })
    const own = await asPerson(organisation.owner, 'POST', '/api/auth/erasure')
    expect(own.status).toBe(202)
    await organisation.wakeUntilDone()
    expect((await readRecord(organisation, body['id'])).status).toBe(200)
    expect(await dumpD1()).toContain(organisation.owner.email)
  })
})

describe('the owners', () => {
  it('are sent the record when it is completed, and nobody else is', async () => {
    const organisation = await used()
    const [second, admin] = [await signedIn(), await signedIn()]
    await join(organisation.id, second, 'owner')
    await join(organisation.id, admin, 'admin')
    const { body } = await organisation.request({ immediately: true })
    const sent: { to: string; text: string }[] = []
    const send = vi.fn<(mail: (typeof sent)[number]) => Promise<void>>((mail) => {
      sent.push(mail)
      return Promise.reject(new Error('E_DELIVERY_FAILED'))
    })
    await runWith(organisation, { MAILER: 'cloudflare', MAIL_FROM: 'service@countersign.example', EMAIL: { send } })
    expect(sent.map(({ to }) => to).toSorted()).toEqual([organisation.owner.email, second.email].toSorted())
    const { record } = await readRecord(organisation, body['id'])
    expect(sent[0]?.text).toContain(canonicalJson(record))
    await expectErased(organisation, body['id'])
  })
})

describe('an erasure that is cut off', () => {
  it.each(ERASURE_STEPS)('after %s, before that is noted, comes to its end', async (cut) => {
    const organisation = await used()
    const { body } = await organisation.request({ immediately: true })
    let cuts = 0
    aroundSteps(async (step, perform) => {
      const isDone = await perform()
      if (step === cut && cuts++ < 7) throw new Error('cut off')
      return isDone
    })
    for (let alarm = 0; alarm < 7; alarm += 1) {
      vi.setSystemTime(noon + alarm * 30_000)
      await runDurableObjectAlarm(objectOf(organisation))
      expect(await organisation.alarmAt()).toBe(noon + (alarm + 1) * 30_000)
      if (alarm % 2 === 0) await organisation.evict()
    }
    expect(cuts).toBe(7)
    await organisation.wakeUntilDone()
    await expectErased(organisation, body['id'])
    const operator = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName('operator'))
    expect(await operator.erasure.listErased(10, undefined)).toHaveLength(1)
  })

  it('goes back to the beginning where something is found that should be gone', async () => {
    const organisation = await used()
    const { body } = await organisation.request({ immediately: true })
    let isLate = true
    aroundSteps(async (step, perform) => {
      if (step === 'record' && isLate) await putObjects(organisation, 1)
      if (step === 'record') isLate = false
      return perform()
    })
    await organisation.wakeUntilDone()
    await expectErased(organisation, body['id'])
  })

  it('waits for the bucket as long as that fails, and says so in the log', async () => {
    const organisation = await used()
    const { body } = await organisation.request({ immediately: true })
    const failing = { delete: vi.fn<() => Promise<never>>(() => Promise.reject(new Error('a bucket’s own words'))) }
    await runWith(organisation, { FILES: bucketWith(failing) })
    expect(failing.delete).toHaveBeenCalled()
    expect((await readRecord(organisation, body['id'])).status).toBe(404)
    expect(logged.join()).toContain('erasure_not_done')
    expect(logged.join()).not.toContain('own words')
    await organisation.evict()
    await organisation.wakeUntilDone()
    await expectErased(organisation, body['id'])
  })
})

describe('a call that was under way', () => {
  it('is settled as interrupted, and leaves nothing when it ends later', async () => {
    const organisation = await foundErasable()
    const caller = await organisation.issueKey()
    const position = positionOf(await organisation.admit(caller, { useCase: MARK, upFrontMicroeur: 70 }))
    const { body } = await organisation.request({ immediately: true })
    await organisation.wakeUntilDone()
    // After the entry that tells of the request.
    const settlements = "SELECT position FROM entries WHERE kind = 'settlement'"
    expect(await organisation.query(settlements)).toEqual([{ position: position + 2 }])
    expect(await organisation.settle(position, 5, { errorCause: MARK })).toEqual({ outcome: 'not_open' })
    await expectErased(organisation, body['id'])
  })
})

describe('an organisation that is erased', () => {
  it('refuses every later call, and takes nothing in', async () => {
    const organisation = await used()
    const { body } = await organisation.request({ immediately: true })
    await organisation.wakeUntilDone()
    const caller = await askFor(organisation.key, '/v1/models')
    expect([caller.status, caller.body]).toMatchObject([401, { error: { code: 'invalid_api_key' } }])
    for (const insert of [
      "INSERT INTO data_keys (key, purpose) VALUES (randomblob(32), 'ledger')",
      `INSERT INTO entries (position, hash, kind, at, expires_at, entry)
       SELECT COUNT(*), randomblob(32), 'operator_act', 1, 1, x'82' FROM entries`,
      "INSERT INTO calls (before, n, at, key_id, of_gateway, outcome) VALUES (0, 0, 1, 'key_a', 1, 'counted')",
      "INSERT INTO sealed_details (first, last, expires_day, rows, key_fingerprint) VALUES (0, 0, 1, 1, 'ab')",
    ]) {
      await expect(organisation.query(insert)).rejects.toThrow('the organisation is erased')
    }
    expect((await asPerson(organisation.owner, 'GET', '/api/settings/erasure')).status).toBe(401)
    expect(await organisation.service.operate('GET', `/organisations/${organisation.id}`)).toMatchObject({
      error: { code: 'not_found' },
    })
    expect(await organisation.alarmAt()).toBeNull()
    await expectErased(organisation, body['id'])
  })

  it('has given proofs that still verify', async () => {
    const organisation = await used()
    const [receipt] = await organisation.query<{ id: string }>('SELECT hex(id) AS id FROM entries WHERE id IS NOT NULL')
    const uuid = (receipt?.id ?? '').toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    const before = await askFor(organisation.key, `/v1/transparency/proof/${uuid}`)
    expect(before.status).toBe(200)
    const { body } = await organisation.request({ immediately: true })
    await organisation.wakeUntilDone()
    expect(verifyInclusion(JSON.parse(JSON.stringify(before.body)))).toMatchObject({ valid: true })
    const { record } = await readRecord(organisation, body['id'])
    const size = (await organisation.query('SELECT position FROM entries')).length
    expect(record).toMatchObject({ tree_size: size })
  })
})

const snapshotsOf = async (organisation: Erasable): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await organisation.query<{ name: string; state: string }>('SELECT name, state FROM snapshots')).map(
      ({ name, state }) => [name, state],
    ),
  )

/** Replaces each step of an erasure. The replacement is given the step. */
function aroundSteps(instead: (step: ErasureStep, perform: () => Promise<boolean>) => Promise<boolean>): void {
  const perform = Object.getOwnPropertyDescriptor(ErasureRun.prototype, 'perform')?.value as ErasureRun['perform']
  vi.spyOn(ErasureRun.prototype, 'perform').mockImplementation(function (this: ErasureRun, step, erasure) {
    return instead(step, () => perform.call(this, step, erasure))
  })
}

/** One alarm of an instance that has these bindings. */
async function runWith(organisation: Erasable, bindings: object): Promise<void> {
  await runInDurableObject(objectOf(organisation), async (_, state) => {
    await new Organisation(state, { ...env, ...bindings }).alarm()
  })
}
