// Messages on their way: each at least once, signed, to public addresses only, for days and then no more.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { deliverDue } from '../../../src/notifications/deliver-messages.ts'
import { WebhookMessagesStore } from '../../../src/notifications/webhook-messages.store.ts'
import { sendWebhookMessage } from '../../../src/notifications/deliver-messages.ts'
import { openStores } from '../../../src/organisation/organisation-stores.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { foundOrganisation, noon, type ChatOrganisation } from '../organisation/chat-organisation.ts'
import { change, hook, objectOf, receive, signaturesBy, URL_OF_HOOK, type Receiver } from './receiver.ts'

const MOST_ATTEMPTS = 11

const DAY_MS = 86_400_000

let organisation: ChatOrganisation
let receiver: Receiver
let secret: string

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  receiver = receive()
  organisation = await foundOrganisation({ tier: 'pro' })
  secret = await hook(organisation)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const shown = async () => {
  const webhook = await objectOf(organisation).webhook.read()
  if (webhook === null) throw new Error('there is no webhook')
  return webhook
}
const deliveries = () => objectOf(organisation).webhook.listDeliveries(100, null)
const refuse = (status: number) => () => new Response('no', { status })

async function sendTest(): Promise<string> {
  const sent = await change(organisation, 'test')
  if (sent.outcome !== 'sending') throw new Error(sent.outcome)
  return sent.messageId
}

/** Lets time go on to the object's next alarm that is for a message. */
async function wakeForMessage(): Promise<void> {
  const [next] = (await deliveries()).flatMap(({ nextAt }) => nextAt ?? []).toSorted((a, b) => a - b)
  vi.setSystemTime(next ?? Date.now())
  await organisation.runAlarm()
}

describe('a message', () => {
  it('is due at once and delivered with the signature of the secret that was shown', async () => {
    const id = await sendTest()
    expect(await organisation.alarmAt()).toBe(noon)
    await organisation.runAlarm()
    const [received, ...more] = receiver.received
    expect(more).toEqual([])
    expect(received).toMatchObject({
      id,
      url: URL_OF_HOOK,
      at: noon / 1000,
      message: {
        type: 'webhook.test',
        timestamp: new Date(noon).toISOString(),
        organisation_id: organisation.id,
        data: {},
      },
    })
    expect(received && (await signaturesBy(secret, received))).toBe(1)
    expect(await deliveries()).toMatchObject([
      { id, state: 'delivered', attempts: 1, nextAt: null, last: { at: noon, outcome: 'delivered', status: 204 } },
    ])
    expect(await shown()).toMatchObject({ deliveredAt: noon, waiting: 0, dropped: 0, disabled: null })
    expect(await organisation.query('SELECT body FROM webhook_messages')).toEqual([{ body: null }])
  })

  it('is sent again under the same id where the object ended before it was marked', async () => {
    const id = await sendTest()
    await runInDurableObject(objectOf(organisation), async (_, { storage: { sql } }) => {
      const { outbox } = openStores(sql, 'an object')
      const { peppers, webhooks } = readConfig(env)
      const settings = () => ({ peppers, rules: webhooks, resolverUrl: webhooks.resolverUrl, fetch })
      const takeTurn = () => {
        throw new Error('the object ends here')
      }
      await expect(deliverDue({ outbox, takeTurn, settings }, Date.now())).rejects.toThrow('ends here')
    })
    await organisation.evict()
    await organisation.runAlarm()
    expect(receiver.received.map((received) => received.id)).toEqual([id, id])
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body)
    await organisation.runAlarm()
    expect(receiver.received.length).toBe(2)
  })

  it('is tried for about three days, under one id, with the time of each attempt; then the webhook is disabled', async () => {
    receiver.answer = refuse(500)
    const id = await sendTest()
    for (let n = 0; n < MOST_ATTEMPTS; n += 1) {
      await wakeForMessage()
      if (n % 4 === 1) await organisation.evict()
    }
    expect(receiver.received.map((received) => received.id)).toEqual(Array.from({ length: MOST_ATTEMPTS }, () => id))
    const waits = receiver.received.map(({ at }, n) => at - (receiver.received[n - 1]?.at ?? at))
    const wanted = [0, 5, 30, 120, 600, 3600, 10_800, 21_600, 43_200, 86_400, 86_400]
    for (const [n, wait] of waits.entries()) {
      expect(Math.abs(wait - (wanted[n] ?? 0))).toBeLessThanOrEqual((wanted[n] ?? 0) * 0.1 + 1)
    }
    expect(await deliveries()).toMatchObject([
      { id, state: 'failed', attempts: MOST_ATTEMPTS, last: { outcome: 'refused', status: 500 } },
    ])
    expect((await shown()).disabled).toEqual({ at: Date.now(), reason: 'failing' })
    expect(await change(organisation, 'test')).toEqual({ outcome: 'disabled' })
    await organisation.runAlarm()
    expect(receiver.received.length).toBe(MOST_ATTEMPTS)
  })

  it('that alone is refused for days ends alone: the webhook has taken others since', async () => {
    const poisonous = await sendTest()
    receiver.answer = () => new Response(null, { status: receiver.received.at(-1)?.id === poisonous ? 500 : 200 })
    await organisation.runAlarm()
    vi.setSystemTime(noon + 1000)
    await sendTest()
    await organisation.runAlarm()
    for (let n = 1; n < MOST_ATTEMPTS; n += 1) await wakeForMessage()
    expect((await deliveries()).map(({ state }) => state)).toEqual(['delivered', 'failed'])
    expect((await shown()).disabled).toBeNull()
  })

  it('waits no longer than the longest wait where the clock was ahead', async () => {
    vi.setSystemTime(noon + 400 * DAY_MS)
    await sendTest()
    vi.setSystemTime(noon)
    await organisation.evict()
    await organisation.set({})
    expect(await organisation.alarmAt()).toBe(noon)
    await organisation.runAlarm()
    expect(receiver.received.length).toBe(1)
  })

  it('that the clock jumped over is tried once, and not once for each wait', async () => {
    receiver.answer = refuse(503)
    await sendTest()
    await organisation.runAlarm()
    vi.setSystemTime(noon + 30 * DAY_MS)
    await organisation.runAlarm()
    await organisation.runAlarm()
    expect(receiver.received.length).toBe(2)
    expect(await deliveries()).toMatchObject([{ state: 'waiting', attempts: 2 }])
  })
})

describe('a receiver', () => {
  it('that answers 410 gets nothing more, and what waits is dropped', async () => {
    receiver.answer = refuse(410)
    for (let n = 0; n < 8; n += 1) await sendTest()
    await organisation.runAlarm()
    expect(receiver.received.length).toBe(6)
    expect(await shown()).toMatchObject({ disabled: { at: noon, reason: 'gone' }, waiting: 0, dropped: 7 })
    await organisation.runAlarm()
    expect(receiver.received.length).toBe(6)
  })

  it('that is set again gets what comes from then on, under the same secret', async () => {
    receiver.answer = refuse(410)
    await sendTest()
    await organisation.runAlarm()
    receiver.answer = () => new Response('ok')
    expect(await hook(organisation)).toBe('')
    const id = await sendTest()
    await organisation.runAlarm()
    const last = receiver.received.at(-1)
    expect(last?.id).toBe(id)
    expect(last && (await signaturesBy(secret, last))).toBe(1)
  })

  it('that sends on is not followed', async () => {
    receiver.answer = () => Response.redirect('https://elsewhere.example.org/', 307)
    await sendTest()
    await organisation.runAlarm()
    expect(receiver.received.map(({ url, redirect }) => [url, redirect])).toEqual([[URL_OF_HOOK, 'manual']])
    expect(await deliveries()).toMatchObject([{ state: 'waiting', last: { outcome: 'redirected', status: 307 } }])
  })

  it('that cannot be reached or says nothing in time has not taken it', async () => {
    const { webhooks } = readConfig(env)
    const sending = { rules: webhooks, resolverUrl: webhooks.resolverUrl, fetch: globalThis.fetch, limitMs: 20 }
    const message = { url: URL_OF_HOOK, id: 'msg_1', body: '{}', secrets: [new Uint8Array(32)], sentAt: 0 }
    receiver.answer = () => new Promise(() => undefined)
    expect(await sendWebhookMessage(message, sending)).toEqual({ outcome: 'timed_out', status: null })
    receiver.answer = () => Promise.reject(new Error('refused'))
    const patient = { ...sending, limitMs: 60_000 }
    expect(await sendWebhookMessage(message, patient)).toEqual({ outcome: 'unreachable', status: null })
  })

  it('whose answer has no end is not read', async () => {
    let pulled = 0
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array((pulled += 1))) })
    receiver.answer = () => new Response(body)
    await sendTest()
    await organisation.runAlarm()
    expect(await deliveries()).toMatchObject([{ state: 'delivered' }])
    expect(pulled).toBeLessThan(5)
  })
})

describe('an address', () => {
  it.each([
    ['not public', ['1.1.1.1', '10.0.0.1'], 'address_not_public'],
    ['gone', undefined, 'address_not_resolved'],
  ])('that is %s by the time of the delivery is not asked, and is looked up again', async (_, addresses, outcome) => {
    const { 'hooks.example.org': before = [] } = receiver.hosts
    receiver.hosts = addresses === undefined ? {} : { 'hooks.example.org': addresses }
    const id = await sendTest()
    await organisation.runAlarm()
    expect(receiver.received).toEqual([])
    expect(await deliveries()).toMatchObject([{ id, state: 'waiting', last: { outcome, status: null } }])
    receiver.hosts = { 'hooks.example.org': before }
    await wakeForMessage()
    expect(receiver.received.map((received) => received.id)).toEqual([id])
  })

  it('that is new gets what waits, under a secret that the old one’s receiver does not know', async () => {
    receiver.answer = refuse(500)
    const id = await sendTest()
    await organisation.runAlarm()
    const other = 'https://hooks.example.org/other'
    const newSecret = await hook(organisation, other)
    expect([newSecret === secret, newSecret === '']).toEqual([false, false])
    receiver.answer = refuse(200)
    await organisation.runAlarm()
    const last = receiver.received.at(-1)
    expect([last?.url, last?.id]).toEqual([other, id])
    expect(last && [await signaturesBy(newSecret, last), await signaturesBy(secret, last)]).toEqual([1, 0])
  })

  it('that is set meanwhile is not disabled by what the one before it said', async () => {
    const other = 'https://hooks.example.org/other'
    receiver.answer = async (url) => {
      if (url === URL_OF_HOOK) await hook(organisation, other)
      return new Response(null, { status: url === URL_OF_HOOK ? 410 : 200 })
    }
    await sendTest()
    await organisation.runAlarm()
    expect((await shown()).disabled).toBeNull()
    await organisation.runAlarm()
    expect(receiver.received.map(({ url }) => url)).toEqual([URL_OF_HOOK, other])
    expect(await deliveries()).toMatchObject([{ state: 'delivered' }])
  })

  it('that is removed gets nothing more, and nothing of it stays', async () => {
    await sendTest()
    expect((await change(organisation, 'remove')).outcome).toBe('removed')
    await organisation.runAlarm()
    expect(receiver.received).toEqual([])
    expect(await organisation.query('SELECT 1 FROM webhook UNION ALL SELECT 1 FROM webhook_messages')).toEqual([])
  })
})

describe('a secret', () => {
  it('that was put in another’s place signs for a day beside it', async () => {
    const rotated = await change(organisation, 'rotate')
    const newSecret = rotated.outcome === 'set' ? (rotated.secret ?? '') : ''
    expect((await shown()).oldSecretUntil).toBe(noon + DAY_MS)
    await sendTest()
    await organisation.runAlarm()
    vi.setSystemTime(noon + DAY_MS)
    await sendTest()
    await organisation.runAlarm()
    const signed = receiver.received.map(async (received) => [
      received.signatures.length,
      await signaturesBy(newSecret, received),
      await signaturesBy(secret, received),
    ])
    expect(await Promise.all(signed)).toEqual([
      [2, 1, 1],
      [1, 1, 0],
    ])
    expect((await shown()).oldSecretUntil).toBeNull()
  })

  it('whose pepper the Worker has lost disables the webhook, and nothing goes out unsigned', async () => {
    await runInDurableObject(objectOf(organisation), (_, { storage }) => {
      storage.sql.exec(`UPDATE webhook SET pepper = 'z'`)
    })
    await organisation.evict()
    await sendTest()
    await organisation.runAlarm()
    expect(receiver.received).toEqual([])
    expect((await shown()).disabled).toEqual({ at: noon, reason: 'no_secret' })
    const another = await hook(organisation)
    await sendTest()
    await organisation.runAlarm()
    expect(receiver.received[0] && (await signaturesBy(another, receiver.received[0]))).toBe(1)
  })

  it('is in no row', async () => {
    const rows = JSON.stringify(await organisation.query('SELECT hex(salt) AS salt, * FROM webhook'))
    const bytes = Uint8Array.fromBase64(secret.slice('whsec_'.length))
    expect(rows.toLowerCase()).not.toContain(bytes.toHex())
  })
})

describe('the outbox', () => {
  it('holds 500 messages and gives up the oldest for those that come after, of which it tells', async () => {
    const ids = await runInDurableObject(objectOf(organisation), (_, { storage }) => {
      const messages = new WebhookMessagesStore(storage.sql)
      return storage.transactionSync(() =>
        Array.from({ length: 500 }, (__, n) => messages.insert('webhook.test', '{}', noon + n).id),
      )
    })
    vi.setSystemTime(noon + 1000)
    await sendTest()
    await sendTest()
    expect(await shown()).toMatchObject({ waiting: 500, dropped: 2 })
    const dropped = await organisation.query<{ id: string }>(`SELECT id FROM webhook_messages WHERE ended = 'dropped'`)
    expect(dropped.map(({ id }) => id)).toEqual(ids.slice(0, 2))
  })

  it('gives up messages about keys first, since one person can cause many', async () => {
    const [approval, first, second] = await runInDurableObject(objectOf(organisation), (_, { storage }) => {
      const messages = new WebhookMessagesStore(storage.sql)
      return storage.transactionSync(() => {
        const { id } = messages.insert('approval.requested', '{}', noon)
        return [id, ...Array.from({ length: 501 }, (__, n) => messages.insert('key.created', '{}', noon + 1 + n).id)]
      })
    })
    const dropped = await organisation.query<{ id: string }>(`SELECT id FROM webhook_messages WHERE ended = 'dropped'`)
    expect(dropped.map(({ id }) => id)).toEqual([first, second])
    expect(approval).toBeDefined()
  })

  it('forgets how messages ended but the last hundred', async () => {
    for (let n = 0; n < 108; n += 1) await sendTest()
    for (let n = 0; n < 18; n += 1) await organisation.runAlarm()
    expect(receiver.received.length).toBe(108)
    const [{ n } = { n: 0 }] = await organisation.query<{ n: number }>('SELECT COUNT(*) AS n FROM webhook_messages')
    expect(n).toBe(100)
  })
})
