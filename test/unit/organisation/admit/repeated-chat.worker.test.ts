// Chat calls under an idempotency key, as the organisation's object decides about them: what it was told once is never run twice.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  foundOrganisation,
  hashOf,
  noon,
  type ChatKey,
  type ChatOrganisation,
  type FactsChange,
} from '../chat-organisation.ts'

const HOUR = 3_600_000

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

/** The same request each time, but for what is told. */
const underKey = (name: string, more: FactsChange = {}): FactsChange => ({
  idempotencyKeyHash: Uint8Array.fromHex(hashOf(name)),
  requestHash: hashOf('a request'),
  ...more,
})

async function admitted(organisation: ChatOrganisation, key: ChatKey, facts: FactsChange) {
  const admission = await organisation.admit(key, facts)
  if (admission.outcome !== 'admitted') throw new Error(admission.outcome)
  return admission
}

const claimed = (organisation: ChatOrganisation) =>
  organisation.query<{ claimant: string; route: string; made: string; answer: string | null }>(
    'SELECT claimant, route, made, answer FROM idempotency_claims',
  )

describe('a chat call under an idempotency key', () => {
  it('is run once, however many come at once, and a repeat leaves nothing but its count for the minute', async () => {
    const organisation = await foundOrganisation({ tier: 'enterprise' })
    const key = await organisation.issueKey()
    const calls = Array.from({ length: 500 }, () => organisation.admit(key, underKey('k')))
    const outcomes = (await Promise.all(calls)).map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'admitted')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'repeated')).toHaveLength(499)
    expect(await organisation.entries()).toHaveLength(1)
    expect(await organisation.calls()).toEqual(Array.from({ length: 499 }, () => 'counted'))
    const { months, calls: counts } = await organisation.state()
    expect([...months.used.values()].map(({ requests }) => requests)).toEqual([1])
    expect(counts.get(key.id)?.today.calls).toBe(500)
  })

  it('tells whether the first is still being answered, also when nobody will ever settle it', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const { position } = await admitted(organisation, key, underKey('k'))
    expect(await organisation.admit(key, underKey('k'))).toMatchObject({ outcome: 'repeated', isRunning: true })
    await organisation.settle(position, 7)
    expect(await organisation.admit(key, underKey('k'))).toMatchObject({ outcome: 'repeated', isRunning: false })

    await admitted(organisation, key, underKey('another'))
    await organisation.evict()
    vi.setSystemTime(noon + HOUR)
    await organisation.runAlarm()
    const repeated = { outcome: 'repeated', isRunning: false, answer: null }
    expect(await organisation.admit(key, underKey('another'))).toMatchObject(repeated)
  })

  it('is another call where its key, its route or its idempotency key is another', async () => {
    const organisation = await foundOrganisation()
    const [key, other] = [await organisation.issueKey(), await organisation.issueKey()]
    await admitted(organisation, key, underKey('k'))
    await admitted(organisation, other, underKey('k'))
    await admitted(organisation, key, underKey('k', { route: 'createResponse' }))
    await admitted(organisation, key, underKey('K'))
    await admitted(organisation, key, { requestHash: hashOf('a request') })
    expect(await claimed(organisation)).toHaveLength(4)
  })

  it('is refused where another request was made under its key, whatever has become of that', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const { position } = await admitted(organisation, key, underKey('k'))
    const other = underKey('k', { requestHash: hashOf('another request') })
    expect(await organisation.admit(key, other)).toMatchObject({ outcome: 'other_request' })
    await organisation.settle(position, 7)
    expect(await organisation.admit(key, other)).toMatchObject({ outcome: 'other_request' })
  })

  it('is run anew after 24 hours and not before', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const { position } = await admitted(organisation, key, underKey('k'))
    await organisation.settle(position, 7)
    vi.setSystemTime(noon + 24 * HOUR - 1)
    expect(await organisation.admit(key, underKey('k'))).toMatchObject({ outcome: 'repeated' })
    vi.setSystemTime(noon + 24 * HOUR)
    await admitted(organisation, key, underKey('k'))
    expect(await organisation.admit(key, underKey('k'))).toMatchObject({ outcome: 'repeated', isRunning: true })
  })

  it('is run anew where the clock was a day ahead, and not where it was less', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    vi.setSystemTime(noon + 24 * HOUR)
    await admitted(organisation, key, underKey('k'))
    vi.setSystemTime(noon + 1)
    expect(await organisation.admit(key, underKey('k'))).toMatchObject({ outcome: 'repeated' })
    vi.setSystemTime(noon)
    await admitted(organisation, key, underKey('k'))
  })

  it.each([
    ['a model that is not allowed', { provider: 'perplexity', costEffective: false }, {}],
    ['a budget that is used up', { upFrontMicroeur: 2_000_000 }, { monthly_budget_eur: 1 }],
  ])('keeps its key where it is refused for %s', async (_, refused, settings) => {
    const organisation = await foundOrganisation(settings)
    const key = await organisation.issueKey()
    expect((await organisation.admit(key, underKey('k', refused))).outcome).not.toBe('admitted')
    expect(await claimed(organisation)).toEqual([])
    await admitted(organisation, key, underKey('k'))
  })

  it('gets its key back where it came to nothing, once, and only its own', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const first = await admitted(organisation, key, underKey('k'))
    const keyHash = Uint8Array.fromHex(hashOf('k'))
    const claim = { claimant: key.id, route: 'createChatCompletion', keyHash, made: first.record.attestation_id }
    const after = { released: claim, cached: null }
    await organisation.settle(first.position, 0, { ended: 'failed' }, after)
    const second = await admitted(organisation, key, underKey('k'))
    expect(await organisation.settle(first.position, 0, { ended: 'failed' }, after)).toEqual({ outcome: 'not_open' })
    await organisation.settle(second.position, 0, {}, after)
    expect(await organisation.admit(key, underKey('k'))).toMatchObject({ outcome: 'repeated' })
  })

  it('has its answer kept where the organisation has that, in a place that a repeat is told with its key', async () => {
    const organisation = await foundOrganisation({ tier: 'pro', idempotent_replays: true })
    const key = await organisation.issueKey()
    const { position, keep, record } = await admitted(organisation, key, underKey('k'))
    expect(keep?.place.name).toContain(`/answer-${record.attestation_id}-`)
    expect((await admitted(organisation, key, {})).keep).toBeNull()
    expect(await organisation.admit(key, underKey('k'))).toMatchObject({ isRunning: true, answer: null })
    await organisation.settle(position, 7)
    await organisation.evict()
    const { name, key: sealingKey } = keep?.place ?? {}
    expect(await organisation.admit(key, underKey('k'))).toMatchObject({ answer: { name, key: sealingKey } })
    expect((await claimed(organisation)).map(({ answer }) => answer)).toEqual([name])

    await organisation.set({ idempotent_replays: false })
    expect(await organisation.admit(key, underKey('k'))).toMatchObject({ isRunning: false, answer: null })
    expect((await admitted(organisation, key, underKey('next'))).keep).toBeNull()
  })

  it('writes one row more than one without, and none where it is repeated but that of its count', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const rows = async () => {
      const [all] = await organisation.query<{ n: number }>(
        'SELECT (SELECT COUNT(*) FROM entries) + (SELECT COUNT(*) FROM calls) + (SELECT COUNT(*) FROM idempotency_claims) AS n',
      )
      return all?.n ?? 0
    }
    const before = await rows()
    await organisation.admit(key)
    const plain = await rows()
    await organisation.admit(key, underKey('k'))
    const claiming = await rows()
    await organisation.admit(key, underKey('k'))
    expect([plain - before, claiming - plain, (await rows()) - claiming]).toEqual([1, 2, 1])
  })
})
