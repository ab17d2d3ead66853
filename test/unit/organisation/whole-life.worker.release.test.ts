// The life of an organisation's log: written, put into tiles, handed to the public log, put away, and provable to the end.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EntriesStore } from '../../../src/organisation/journal/entries.store.ts'
import { verifyConsistency, verifyInclusion } from '../../../src/evidence/tree/verify-proof.ts'
import type { Organisation } from '../../../src/organisation/organisation.do.ts'
import { DAY_MS } from '../../../src/platform/time.ts'
import {
  foundOrganisation,
  idOf,
  NO_FACTS,
  noon,
  positionOf,
  type ChatKey,
  type ChatOrganisation,
} from './chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const objectOf = ({ id }: ChatOrganisation) => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))

/** Alarms until the object wants none before the next hour. */
async function wakeUntilDone(organisation: ChatOrganisation): Promise<void> {
  for (let alarms = 0; alarms < 100; alarms += 1) {
    await organisation.runAlarm()
    if (((await organisation.alarmAt()) ?? 0) > Date.now() + 600_000) return
  }
  throw new Error('the object does not come to rest')
}

async function makeCalls(organisation: ChatOrganisation, key: ChatKey, calls: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < calls; n += 1) {
    const admission = await organisation.admit(key)
    await organisation.settle(positionOf(admission), 5)
    ids.push(idOf(admission))
  }
  return ids
}

describe('the log of an organisation', () => {
  it('is stored in tiles, leaves the database, and proves every entry as before', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    for (let n = 0; n < 3; n += 1) await organisation.describe(key)
    const ids = await makeCalls(organisation, key, 300)
    await wakeUntilDone(organisation)
    const stranger = await foundOrganisation({ tier: 'pro' })
    const [ofStranger = ''] = await makeCalls(stranger, await stranger.issueKey(), 200)
    await wakeUntilDone(stranger)
    const before = await objectOf(organisation).log.readTreeHead(key)
    if (before.outcome !== 'admitted') throw new Error(before.outcome)
    expect(await organisation.query('SELECT level, stored FROM tile_levels ORDER BY level')).toEqual([
      { level: 0, stored: 2 },
      { level: 1, stored: 0 },
    ])

    // The first head of all is of the empty log.
    for (let head = 0; head < 2; head += 1) await env.PUBLIC_LOG.get(env.PUBLIC_LOG.idFromName('public')).ensureHead()
    vi.setSystemTime(noon + 8 * DAY_MS)
    for (const each of [organisation, stranger]) await wakeUntilDone(each)
    expect(await stranger.query('SELECT 1 FROM entries WHERE position < 256')).toEqual([])
    expect(await organisation.query('SELECT 1 FROM calls WHERE before < 512')).toEqual([])
    const [left] = await organisation.query<{ first: number; n: number }>(
      'SELECT MIN(position) AS first, COUNT(*) AS n FROM entries',
    )
    expect(left?.first).toBe(512)
    await organisation.evict()
    const inRows = vi.spyOn(EntriesStore.prototype, 'findSettlement')
    for (const id of [ids[0], ids[100], ids[299]]) {
      const evidence = await objectOf(organisation).log.gatherEvidence(key, id ?? '')
      if (evidence.outcome !== 'admitted' || evidence.answer.outcome !== 'found')
        throw new Error(JSON.stringify(evidence))
      const { record, inclusion, settlement } = evidence.answer
      expect(record.attestation_id).toBe(id)
      expect(verifyInclusion({ ...inclusion, audit_path: [...inclusion.audit_path] }).valid).toBe(true)
      expect(settlement).not.toBeNull()
    }
    // For a decision that has left, all rows at hand would be gone through in vain.
    expect(inRows.mock.calls).toEqual([[600]])
    inRows.mockRestore()
    const evidence = await objectOf(organisation).log.gatherEvidence(key, ofStranger)
    expect(evidence).toMatchObject({ answer: { outcome: 'not_found' } })
    const consistency = await objectOf(organisation).log.proveConsistency(key, { from: before.answer.size, to: null })
    if (consistency.outcome !== 'admitted' || consistency.answer.outcome !== 'consistent') throw new Error('no proof')
    expect(verifyConsistency({ ...consistency.answer }).valid).toBe(true)
    expect(consistency.answer.old_root).toBe(before.answer.root.toHex())
    expect((await objectOf(organisation).log.checkState()).differences).toEqual([])
  })

  it('proves a settlement only to whom the head that he was told holds it', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    const admission = await organisation.admit(key)
    const [position, attestationId] = [positionOf(admission), idOf(admission)]
    const asked = await runInDurableObject(objectOf(organisation), async (object: Organisation) => {
      const answer = object.log.gatherEvidence(key, attestationId)
      // Written while the evidence is gathered.
      object.settleChat({
        position,
        factsSha256: NO_FACTS,
        retentionDays: 365,
        ended: 'completed',
        costMicroeur: 5,
        usage: null,
        estimated: false,
        upstreamMs: 1,
        finishReason: null,
        errorCause: null,
      })
      return answer
    })
    expect(asked).toMatchObject({
      answer: { outcome: 'found', inclusion: { tree_size: position + 1 }, settlement: null },
    })
    const again = await objectOf(organisation).log.gatherEvidence(key, attestationId)
    expect(again).toMatchObject({ answer: { settlement: { inclusion: { leaf_index: position + 1 } } } })
  })
})
