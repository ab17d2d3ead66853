// The process is killed while a receiver has a message, and once more when the receiver has taken it and that is not written down.
// The message comes again, the same under the same id, until it is marked; then no more.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { callOperator } from '../../scripts/operator/operator-client.ts'
import { buildCrashService, type CrashService, type Life } from '../support/e2e/crash/crash-service.ts'
import { isSignedBy, startWebhookReceiver, type WebhookReceiver } from '../../scripts/local/servers/webhook-receiver.ts'
import { until } from '../support/until.ts'

const ANSWERS_LATER = '/slow/3000'

let folder: string
let receiver: WebhookReceiver
let service: CrashService
let life: Life
let onMessage = (): void => undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-webhooks-'))
  receiver = await startWebhookReceiver({ onMessage: () => onMessage() })
  service = await buildCrashService(folder, { WEBHOOK_LOOPBACK: 'on' })
  life = await service.start({ arms: [] })
})
afterAll(async () => {
  await life.stop()
  await service.close()
  await receiver.close()
  await rm(folder, { recursive: true })
})

const IdSchema = z.object({ id: z.string() })
const KeySchema = z.object({ key: z.string() })
const DeliveriesSchema = z.object({ data: z.array(z.object({ id: z.string(), state: z.string() })) })

async function foundOrganisation() {
  const { id } = await callOperator(life.target, IdSchema, 'POST', '/organisations', {
    name: 'A practice',
    tier: 'pro',
  })
  const wanted = { prefix: 'aqta_', name: 'A key', scopes: ['manage'] }
  const { key } = await callOperator(life.target, KeySchema, 'POST', `/organisations/${id}/keys`, wanted)
  const manage = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    return (await fetch(`${life.target.url}/api/notifications${path}`, init)).json()
  }
  return { manage }
}

const nextMessage = (): Promise<void> =>
  new Promise((resolve) => {
    onMessage = resolve
  })

it('sends a message again under its id, whenever it was killed over it, and not once it is marked', async () => {
  const { manage } = await foundOrganisation()
  const { secret } = z
    .object({ secret: z.string() })
    .parse(await manage('PUT', '', { url: `${receiver.url}${ANSWERS_LATER}` }))
  const came = nextMessage()
  const { id } = IdSchema.parse(await manage('POST', '/test'))
  await came
  await life.kill()

  // An object's alarm goes off once it is asked for anything.
  const look = () => manage('GET', '/deliveries')
  life = await service.start({ arms: [{ step: 'deliver:during', nth: 1, action: 'kill' }] })
  await Promise.all([life.killed, look().catch(() => undefined)])

  life = await service.start({ arms: [] })
  const deliveries = async () => DeliveriesSchema.parse(await look())
  const found = await until('the message is delivered', deliveries, ({ data }) => data[0]?.state === 'delivered')
  expect(found.data).toEqual([{ id, state: 'delivered' }])

  const messages = receiver.messages()
  expect(messages.map((message) => message.id)).toEqual([id, id, id])
  expect(new Set(messages.map(({ body }) => body)).size).toBe(1)
  expect(messages.every((message) => isSignedBy(secret, message))).toBe(true)
})
