// A request that waits for a person counts once, whatever becomes of it: while it waits, sent again, denied, expired, or run.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { noon, positionOf } from '../chat-organisation.ts'
import { approvalOf, withApprovals } from '../approvals/approved-organisation.ts'
import { ask, checkUsage, DAY_MS } from './counted-organisation.ts'

let practice: Awaited<ReturnType<typeof withApprovals>>

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  practice = await withApprovals({ expires_seconds: 4 * 86_400 })
})
afterEach(() => vi.useRealTimers())

const TODAY = Math.floor(noon / DAY_MS)

/** Returns the endings that are not zero, with the number of all calls. */
async function counted(days = { first: TODAY, last: TODAY + 9 }) {
  const { totals } = await ask(practice.organisation, { days })
  const { completed, failed, blocked, awaiting_approval, denied, expired, withdrawn } = totals
  const all = { completed, failed, blocked, awaiting_approval, denied, expired, withdrawn }
  const endings = Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0))
  return { requests: totals.requests, ...endings, prevented: totals.prevented_microeur }
}

const send = () => practice.send({ inputMicroeur: 5 })

async function wake(): Promise<void> {
  for (let alarm = 0; alarm < 6; alarm += 1) await practice.organisation.runAlarm()
}

describe('a request that waits', () => {
  it('is one call that awaits approval, however often it is sent, and prevents no cost yet', async () => {
    await send()
    await send()
    expect(await counted()).toEqual({ requests: 1, awaiting_approval: 1, prevented: 0 })
    await send()
    expect(await counted()).toEqual({ requests: 1, awaiting_approval: 1, prevented: 0 })
  })

  it('is one completed call once it ran, whether it was counted while it waited or not', async () => {
    for (const isCounted of [true, false]) {
      practice = await withApprovals()
      const id = approvalOf(await send())
      await send()
      if (isCounted) await counted()
      await practice.decide(id)
      if (isCounted) expect(await counted()).toMatchObject({ requests: 1, awaiting_approval: 1 })
      const position = positionOf(await practice.send({ approval: id }))
      await practice.organisation.settle(position, 3)
      expect(await counted()).toEqual({ requests: 1, completed: 1, prevented: 0 })
    }
  })

  it('is denied, expired or withdrawn, and no longer waits', async () => {
    await practice.decide(approvalOf(await send()), 'deny')
    expect(await counted()).toEqual({ requests: 1, denied: 1, prevented: 5 })
    await send()
    await practice.put({ human_approval: { when: [{}], expires_seconds: 3600, approvals_required: 2 } })
    await send()
    expect(await counted()).toMatchObject({ requests: 3, denied: 1, withdrawn: 1, awaiting_approval: 1 })
    vi.setSystemTime(noon + 3_600_000)
    await wake()
    expect(await counted()).toEqual({ requests: 3, denied: 1, withdrawn: 1, expired: 1, prevented: 15 })
  })

  it('is blocked if it is sent with an approval that is used or denied: nobody is asked about it', async () => {
    const id = approvalOf(await send())
    await practice.decide(id, 'deny')
    await practice.send({ approval: id })
    expect(await counted()).toMatchObject({ requests: 2, denied: 1, blocked: 1 })
  })

  it('keeps its day open until it is decided, and counts on that day', async () => {
    const id = approvalOf(await send())
    await send()
    vi.setSystemTime(noon + 3 * DAY_MS)
    await wake()
    const openDays = 'SELECT day FROM counted_days WHERE closed_at IS NULL'
    expect(await practice.organisation.query(openDays)).toEqual([{ day: TODAY }])
    await practice.decide(id, 'deny')
    vi.setSystemTime(noon + 5 * DAY_MS)
    await wake()
    expect(await practice.organisation.query(openDays)).toEqual([])
    expect(await counted({ first: TODAY, last: TODAY })).toMatchObject({ requests: 1, denied: 1 })
    expect(await checkUsage(practice.organisation)).toMatchObject({ differences: [], daysCompared: 1 })
  })
})
