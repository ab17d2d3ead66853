// Medical receipts over their routes: which there are, who sees them, what shows one to others, and what is left of it once its details
// have expired.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findAcceptFault, isAcceptanceOf } from '../../../../src/evidence/records/accept-record.ts'
import { receiptEntry } from '../../../../src/evidence/records/receipt-entry.ts'
import { verifyHead } from '../../../../src/evidence/records/tree-head.ts'
import { verifyRecord } from '../../../../src/evidence/records/verify-record.ts'
import { hashLeaf } from '../../../../src/evidence/tree/merkle-hash.ts'
import { verifyInclusion } from '../../../../src/evidence/tree/verify-proof.ts'
import { AttestationPositions } from '../../../../src/public-log/public-log-reader.ts'
import type { Organisation } from '../../../../src/organisation/organisation.do.ts'
import { LogReader } from '../../../../src/organisation/journal/log-reader.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { completeTile, openParts } from '../../organisation/journal/archived-ledger.ts'
import { noon, positionOf } from '../../organisation/chat-organisation.ts'
import { manage } from '../managed.ts'
import {
  approvedCall,
  errorOf,
  foundMedical,
  PATH,
  publicKey,
  REQUEST,
  type MedicalOrganisation,
} from './medical-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const idsOf = ({ data }: { data: { id: string }[] }): string[] => data.map(({ id }) => id)

const objectOf = ({ organisation }: MedicalOrganisation) =>
  env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id))

/** Everything so far is in a complete tile. */
async function completeTiles(medical: MedicalOrganisation): Promise<void> {
  await runInDurableObject(objectOf(medical), (_, { storage, id }) =>
    completeTile(openParts(storage, id.toString()), Date.now()),
  )
  await evictDurableObject(objectOf(medical))
}

async function wakeUntilDone({ organisation }: MedicalOrganisation): Promise<void> {
  for (let alarms = 0; alarms < 50; alarms += 1) {
    await organisation.runAlarm()
    if (((await organisation.alarmAt()) ?? Infinity) > Date.now() + 600_000) return
  }
  throw new Error('the object does not come to rest')
}

describe('the list of receipts', () => {
  it('has those of the use cases that the policy in force calls medical, the latest first', async () => {
    const medical = await foundMedical()
    const [one, other, none] = [await medical.run('triage'), await medical.run('coding'), await medical.run(null)]
    expect(idsOf(await medical.list())).toEqual([none, other, one])
    await medical.put({ medical_use_cases: ['triage'] })
    const latest = await medical.run('triage')
    expect(idsOf(await medical.list())).toEqual([latest, one])
    await medical.put({ medical_use_cases: [] })
    expect(await medical.list()).toMatchObject({ object: 'list', data: [], has_more: false, next_cursor: null })
  })

  it('tells of each what the log has, and nothing that was asked', async () => {
    const medical = await foundMedical()
    const id = await medical.run()
    expect((await medical.list()).data).toEqual([
      {
        object: 'medical_receipt',
        id,
        created_at: new Date(noon).toISOString(),
        trace_id: `tr_${id.replaceAll('-', '')}`,
        model: 'gpt-4.1-mini',
        provider: 'openai',
        outcome: 'passed',
        use_case: 'triage',
        approval_state: null,
      },
    ])
  })

  it('is gone through by cursors, each receipt once, and narrowed by days, outcome and use case', async () => {
    const medical = await foundMedical()
    const ids: string[] = []
    for (let n = 0; n < 5; n += 1) ids.unshift((await medical.admit(n % 2 === 0 ? 'triage' : 'coding')).attestationId)
    const met: string[] = []
    for (let cursor = ''; ;) {
      const page = await medical.list(`?limit=2${cursor}`)
      met.push(...idsOf(page))
      if (!page.has_more) break
      cursor = `&cursor=${page.next_cursor}`
    }
    expect(met).toEqual(ids)
    expect(idsOf(await medical.list('?use_case=coding'))).toEqual([ids[1], ids[3]])
    await medical.organisation.set({ enabled_providers: [] })
    const { attestationId: refused } = await medical.admit()
    expect(idsOf(await medical.list('?outcome=blocked'))).toEqual([refused])
    expect(idsOf(await medical.list('?outcome=passed'))).toEqual(ids)
    vi.setSystemTime(noon + 2 * DAY_MS)
    const owner = await medical.managed.signIn('owner')
    expect(idsOf(await medical.list('?start=2091-03-16', owner))).toEqual([])
    expect(idsOf(await medical.list('?start=2091-03-01&end=2091-03-14', owner))).toEqual([])
    expect(idsOf(await medical.list('?start=2091-03-15&end=2091-03-15', owner))).toEqual([refused, ...ids])
  })

  it('has each in the days of one list, also where the clock stepped back over midnight', async () => {
    const medical = await foundMedical()
    const midnight = Date.UTC(2091, 2, 16)
    const met: string[] = []
    for (const at of [midnight - 1000, midnight, midnight - 200, midnight + 700]) {
      vi.setSystemTime(at)
      met.unshift(await medical.run())
    }
    vi.setSystemTime(noon + 3 * DAY_MS)
    const owner = await medical.managed.signIn('owner')
    const [first, second] = await Promise.all(
      ['2091-03-15', '2091-03-16'].map(async (day) => medical.list(`?start=${day}&end=${day}`, owner)),
    )
    expect([...idsOf(second ?? { data: [] }), ...idsOf(first ?? { data: [] })]).toEqual(met)
    const fromEnd = await medical.list('?start=2091-03-15&end=2091-03-15&cursor=999999999999999', owner)
    expect(idsOf(fromEnd)).toEqual(met.slice(-1))
  })

  it('takes a bounded look at a long log, and says that there is more', async () => {
    const medical = await foundMedical()
    const oldest = await medical.run('triage')
    await runInDurableObject(objectOf(medical), (_, { storage, id }) => {
      const { journal } = openParts(storage, id.toString())
      storage.transactionSync(() => {
        for (let n = 0; n < 7000; n += 1) journal.append({ kind: 'operator_act', content: { n } }, noon)
      })
    })
    await medical.organisation.evict()
    const page = await medical.list()
    expect(page).toMatchObject({ data: [], has_more: true })
    expect(idsOf(await medical.list(`?cursor=${page.next_cursor}`))).toEqual([oldest])
    vi.setSystemTime(noon + DAY_MS)
    const owner = await medical.managed.signIn('owner')
    expect(await medical.list('?start=2091-03-16', owner)).toMatchObject({ data: [], has_more: false })
  })

  it.each([
    ['cursor=-1', 'cursor'],
    ['cursor=1e3', 'cursor'],
    ['cursor=9999999999999999999', 'cursor'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['outcome=ALLOWED', 'outcome'],
    ['start=2091-13-01', 'start'],
    ['start=0001-01-01', 'start'],
    ['start=2091-03-16', 'start'],
  ])('refuses %s', async (query, param) => {
    const medical = await foundMedical()
    const refused = errorOf(medical.owner.ask('GET', `${PATH}?${query}`))
    expect(await refused).toMatchObject({ status: 400, code: 'invalid_request', param })
  })

  it('is empty behind cursors and days that lie outside the log', async () => {
    const medical = await foundMedical()
    await medical.run()
    for (const query of ['?cursor=0', '?start=9990-01-01&end=9996-12-31', '?start=1970-01-01&end=1976-12-31']) {
      expect(await medical.list(query)).toMatchObject({ data: [], has_more: false })
    }
    expect((await medical.list('?cursor=999999999999999')).data).toHaveLength(1)
  })
})

describe('who may see receipts', () => {
  it.each(['auditor', 'clinician', 'admin'] as const)('%s', async (role) => {
    const medical = await foundMedical()
    const id = await medical.run()
    const asker = await medical.managed.signIn(role)
    expect(idsOf(await medical.list('', asker))).toEqual([id])
    expect((await medical.show(id, asker)).id).toBe(id)
  })

  it('nobody of a tier without them, who is told the tiers before anything that is wrong', async () => {
    for (const tier of ['free', 'starter', 'pro']) {
      const other = await manage({ tier })
      const owner = await other.signIn('owner')
      for (const [method, path] of [
        ['GET', `${PATH}?limit=none`],
        ['GET', `${PATH}/export?format=xml`],
        ['GET', `${PATH}/none`],
        ['POST', `${PATH}/none/verify`],
      ] as const) {
        const refusal = await errorOf(owner.ask(method, path, method === 'POST' ? { wrong: 1 } : undefined))
        expect(refusal).toMatchObject({ status: 403, code: 'tier_required' })
        expect(refusal.message).toContain('healthcare, enterprise')
      }
    }
    const enterprise = await manage({ tier: 'enterprise' })
    expect((await (await enterprise.signIn('owner')).ask('GET', PATH)).status).toBe(200)
  })

  it('nobody of another organisation, by list or by id', async () => {
    const [medical, stranger] = [await foundMedical(), await foundMedical()]
    const id = await medical.run()
    expect(idsOf(await stranger.list())).toEqual([])
    expect(await errorOf(stranger.owner.ask('GET', `${PATH}/${id}`))).toMatchObject({ status: 404 })
    expect(await errorOf(stranger.owner.ask('POST', `${PATH}/${id}/verify`, {}))).toMatchObject({ status: 404 })
  })
})

describe('a receipt', () => {
  it('comes with its record, its settlement and its proofs in both logs, each of which verifies', async () => {
    const medical = await foundMedical()
    const id = await medical.run()
    await medical.run()
    expect(await medical.show(id)).toMatchObject({ details: 'kept', public_log: null, acceptance: null })
    await medical.publish()
    // An isolate remembers for a moment that the public log has not got it.
    vi.setSystemTime(noon + 3000)
    const { attestation, settlement, organisation_log: own, public_log: open } = await medical.show(id)
    const pinned = { keys: [publicKey()] }
    expect(verifyRecord(attestation, pinned)).toEqual({ valid: true, keySource: 'pinned' })
    for (const log of [own, open]) {
      expect(verifyHead(log?.head, pinned)).toMatchObject({ valid: true, treeSize: log?.proof['tree_size'] })
      expect(verifyInclusion(log?.proof).valid).toBe(true)
      expect(log?.proof['leaf_hash']).toBe(hashLeaf(receiptEntry(attestation ?? {})).toHex())
    }
    expect(settlement).toMatchObject({
      settles: own.proof.leaf_index,
      content: { ended: 'completed', cost_microeur: 42 },
    })
    expect(verifyInclusion(settlement?.['proof']).valid).toBe(true)
  })

  it('has no settlement that came after the tree of its proofs', async () => {
    const medical = await foundMedical()
    const { attestationId, admission } = await medical.admit()
    const position = positionOf(admission)
    const found = await runInDurableObject(objectOf(medical), async (object: Organisation) => {
      const read = vi.spyOn(LogReader.prototype, 'readCall')
      read.mockImplementationOnce(async function (this: LogReader, ...asked) {
        await medical.organisation.settle(position, 42)
        return this.readCall(...asked)
      })
      return object.receipts.find(attestationId, true)
    })
    expect(found).toMatchObject({ details: 'kept', receipt: { position, settlement: null } })
    expect((await medical.show(attestationId)).settlement).not.toBeNull()
  })

  it('is not shown where the public log has another leaf for it', async () => {
    const medical = await foundMedical()
    const [id, another] = [await medical.run(), await medical.run()]
    await medical.publish()
    const leafOf = (await medical.show(another)).public_log?.proof['leaf_index']
    vi.spyOn(AttestationPositions.prototype, 'find').mockResolvedValueOnce(Number(leafOf))
    expect(await errorOf(medical.owner.ask('GET', `${PATH}/${id}`))).toMatchObject({ status: 503 })
    expect((await medical.show(id)).public_log).not.toBeNull()
  })

  it('tells who decided, of the refusal that asked for it and of the call that ran with it', async () => {
    const medical = await foundMedical()
    await medical.put({ human_approval: { when: [{ use_cases: ['triage'] }] } })
    const { refused, run, approvalId } = await approvedCall(medical)
    const pinned = { keys: [publicKey()] }
    for (const id of [refused, run]) {
      const { acceptance, approval_state: state } = await medical.show(id)
      expect([state, acceptance]).toMatchObject([
        'executed',
        { approval_id: approvalId, records: [{ decision: 'OVERRIDDEN' }] },
      ])
      const [record = {}] = acceptance?.records ?? []
      expect(findAcceptFault(record, pinned)).toBeNull()
      expect(isAcceptanceOf(record, acceptance?.subject ?? {})).toBe(true)
    }
    const states = (await medical.list()).data.map(({ id, outcome, approval_state: state }) => [id, outcome, state])
    expect(states).toEqual([[run, 'passed', 'executed']])
  })

  it('shows an approval that waits', async () => {
    const medical = await foundMedical()
    await medical.put({ human_approval: { when: [{}] } })
    const { attestationId } = await medical.admit()
    expect(await medical.show(attestationId)).toMatchObject({ approval_state: 'pending', acceptance: { records: [] } })
    vi.setSystemTime(noon + 2 * DAY_MS)
    const owner = await medical.managed.signIn('owner')
    expect((await medical.show(attestationId, owner)).approval_state).toBe('expired')
  })

  it('is none where the use case is not medical, or the id none of ours', async () => {
    const medical = await foundMedical()
    await medical.put({ medical_use_cases: ['triage'] })
    for (const id of [
      await medical.run('coding'),
      crypto.randomUUID(),
      'export2',
      'tr_0',
      '%00',
      `${await medical.run()}%0A`,
      (await medical.run()).toUpperCase(),
    ]) {
      expect(await errorOf(medical.owner.ask('GET', `${PATH}/${id}`))).toMatchObject({ status: 404, code: 'not_found' })
    }
  })

  it('is its leaf and the proof of that once its details have expired, with which a kept record still verifies', async () => {
    const medical = await foundMedical()
    await medical.put({ medical_use_cases: ['triage'] })
    const id = await medical.run()
    await completeTiles(medical)
    await medical.publish()
    vi.setSystemTime(noon + 10 * DAY_MS)
    await wakeUntilDone(medical)
    const later = await medical.managed.signIn('owner')
    const kept = await medical.show(id, later)
    expect([kept.details, kept.settlement !== null]).toEqual(['kept', true])

    vi.setSystemTime(noon + 366 * DAY_MS)
    await wakeUntilDone(medical)
    const owner = await medical.managed.signIn('owner')
    expect((await medical.list('?start=2091-03-01&end=2091-04-01', owner)).data).toEqual([])
    const expired = await medical.show(id, owner)
    expect(expired).toMatchObject({
      id,
      details: 'expired',
      created_at: null,
      outcome: null,
      use_case: null,
      attestation: null,
      settlement: null,
    })
    expect(JSON.stringify(expired)).not.toContain('triage')
    const pinned = { keys: [publicKey()] }
    for (const log of [expired.organisation_log, expired.public_log]) {
      expect(verifyInclusion(log?.proof).valid).toBe(true)
      expect(verifyHead(log?.head, pinned).valid).toBe(true)
      expect(log?.proof['leaf_hash']).toBe(hashLeaf(receiptEntry(kept.attestation ?? {})).toHex())
    }
    const verify = async (body: object) =>
      (await owner.ask('POST', `${PATH}/${id}/verify`, body)).json<{ valid: boolean; checks: object[] }>()
    expect(await verify({ record: kept.attestation, request: REQUEST })).toMatchObject({ valid: true })
    expect(await verify({ record: { ...kept.attestation, model: 'other' } })).toMatchObject({ valid: false })
    const alone = await verify({})
    expect(alone).toMatchObject({ valid: false })
    expect(alone.checks).toContainEqual(expect.objectContaining({ check: 'signature', result: 'not_available' }))
    expect(alone.checks).toContainEqual(expect.objectContaining({ check: 'organisation_log', result: 'pass' }))
  })
})
