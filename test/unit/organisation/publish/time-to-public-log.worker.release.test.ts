// How long a receipt takes from its writing until a served head of the public log covers it, while everything works.
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openPublicLog } from '../../../../src/public-log/public-log.client.ts'
import { PublicLogFiles } from '../../../../src/public-log/public-log-files.store.ts'
import { foundOrganisation, noon, type ChatKey, type ChatOrganisation } from '../chat-organisation.ts'

/** The log promises 60 seconds. */
const MOST_MS = 45_000
const LASTS_MS = 150_000

let organisation: ChatOrganisation
let key: ChatKey

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  organisation = await foundOrganisation({ tier: 'pro' })
  key = await organisation.issueKey()
})
afterEach(() => vi.useRealTimers())

const log = () => openPublicLog(env.PUBLIC_LOG, false)
const logAlarmAt = () => runInDurableObject(log(), (_, { storage }) => storage.getAlarm())

/** Makes calls at these times. Every alarm goes off when it is due. Returns how late each call was covered, and the heads. */
async function serve(callTimes: readonly number[], evictsAfter: number): Promise<{ waits: number[]; heads: number }> {
  const written: number[] = []
  const waits: number[] = []
  let heads = 0
  while (waits.length < callTimes.length) {
    const [callAt = Infinity, alarmAt, publishAt] = [
      callTimes[written.length],
      (await organisation.alarmAt()) ?? Infinity,
      (await logAlarmAt()) ?? Infinity,
    ]
    vi.setSystemTime(Math.max(Date.now(), Math.min(callAt, alarmAt, publishAt)))
    if (callAt <= Math.min(alarmAt, publishAt)) {
      written.push(Date.now())
      expect((await organisation.admit(key)).outcome).toBe('admitted')
      if (written.length % evictsAfter === 0) await organisation.evict()
    } else if (alarmAt <= publishAt) await organisation.runAlarm()
    else await runDurableObjectAlarm(log())
    const size = (await new PublicLogFiles(env.FILES).readHead())?.head.tree_size ?? 0
    if (size > waits.length) heads += 1
    while (waits.length < size) waits.push(Date.now() - (written[waits.length] ?? 0))
  }
  return { waits, heads }
}

it.each([
  ['many', 900],
  ['some', 7300],
  ['few', 26_000],
  ['rare', 41_000],
])('is three quarters of a minute at most, with %s calls, and their heads are few', async (_, paceMs) => {
  const times = Array.from({ length: Math.ceil(LASTS_MS / paceMs) }, (_one, n) => noon + n * paceMs)
  const { waits, heads } = await serve(times, Infinity)
  expect(Math.max(...waits)).toBeLessThanOrEqual(MOST_MS)
  expect(heads).toBeLessThanOrEqual(Math.ceil(LASTS_MS / 30_000) + 1)
})

it('is no longer where the organisation’s object is evicted again and again', async () => {
  const times = Array.from({ length: 40 }, (_, n) => noon + n * 3100)
  const { waits } = await serve(times, 3)
  expect(Math.max(...waits)).toBeLessThanOrEqual(MOST_MS)
})
