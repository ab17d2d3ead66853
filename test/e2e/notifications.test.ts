// Webhooks over HTTP, from the built Worker to a receiver on this machine: signed, without any text, and as its docs say.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  isSignedBy,
  startWebhookReceiver,
  type ReceivedMessage,
  type WebhookReceiver,
} from '../../scripts/local/servers/webhook-receiver.ts'
import { ask, startGateway, type StartedGateway } from '../support/e2e/gateway.ts'
import { postJson } from '../support/e2e/deployment.ts'
import { signInAs } from '../support/e2e/members.ts'
import { freePort } from '../support/e2e/local-start.ts'
import { until } from '../support/until.ts'

const MARK = 'marked-text-5f1c'

let receiver: WebhookReceiver
let gateway: StartedGateway

beforeAll(async () => {
  receiver = await startWebhookReceiver({ hosts: { 'private.example.org': ['10.1.2.3'] } })
  gateway = await startGateway({ WEBHOOK_LOOPBACK: 'on', DNS_OVER_HTTPS_URL: `${receiver.url}/dns-query` })
})
afterAll(async () => {
  await gateway.close()
  await receiver.close()
})

/** Waits until `count` messages have reached this path, and returns them. */
async function messagesTo(path: string, count: number): Promise<ReceivedMessage[]> {
  const findMessages = () => receiver.messages().filter((message) => message.path === path)
  return until(`${count} messages reach ${path}`, findMessages, (messages) => messages.length >= count)
}

async function foundOrganisation() {
  const { key, organisationId } = await gateway.createKey({ tier: 'pro' })
  const { headers } = await signInAs(gateway.service, organisationId, 'owner')
  const manage = async (method: string, path = '', body?: object) => {
    const response = await gateway.service.fetch(`/api/notifications${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Record<string, unknown> & { error?: { fields?: { rule: string }[] } }
  }
  return { key, organisationId, manage }
}

describe('a webhook', () => {
  it('is told of a loop by a signed message, in which nothing is that anybody wrote', async () => {
    const { key, organisationId, manage } = await foundOrganisation()
    const { secret } = await manage('PUT', '', { url: `${receiver.url}/hooks?token=${MARK}` })
    const request = { ...ask('gpt-4.1-mini'), messages: [{ role: 'user', content: `Say ${MARK}.` }], user: MARK }
    for (let n = 0; n < 6; n += 1) await gateway.service.fetch('/v1/chat/completions', postJson(key, request))
    const [message] = await messagesTo('/hooks', 1)
    expect(JSON.parse(message?.body ?? '')).toMatchObject({
      type: 'loop.detected',
      organisation_id: organisationId,
      data: { model: 'gpt-4.1-mini' },
    })
    expect(message && isSignedBy(String(secret), message)).toBe(true)
    expect(message && isSignedBy(`whsec_${'A'.repeat(43)}=`, message)).toBe(false)
    expect(JSON.stringify(receiver.messages().map(({ body }) => body))).not.toContain(MARK)
    const told = [await manage('GET'), await manage('GET', '/deliveries'), await gateway.service.ledger(organisationId)]
    expect(JSON.stringify(told)).not.toContain(MARK)
    expect(gateway.service.logs().join('\n')).not.toContain(MARK)
  })

  it('is refused where its name leads to a private address, or to none', async () => {
    const { manage } = await foundOrganisation()
    for (const [host, rule] of [
      ['private.example.org', 'public addresses only'],
      ['unknown.example.org', 'looked up'],
    ]) {
      const ruleBroken = async () => (await manage('PUT', '', { url: `https://${host}/` })).error?.fields?.[0]?.rule
      await expect.poll(ruleBroken).toContain(rule)
    }
  })

  it('that answers with a failure has not taken its message, which waits', async () => {
    const { manage } = await foundOrganisation()
    await manage('PUT', '', { url: `${receiver.url}/status/500` })
    await manage('POST', '/test')
    await messagesTo('/status/500', 1)
    const { data } = await settled(manage)
    const last = { outcome: 'refused', status: 500 }
    expect(data).toMatchObject([{ type: 'webhook.test', state: 'waiting', last_attempt: last }])
    await manage('DELETE')
  })

  it('that says it is gone is disabled', async () => {
    const { manage } = await foundOrganisation()
    await manage('PUT', '', { url: `${receiver.url}/status/410` })
    await manage('POST', '/test')
    await messagesTo('/status/410', 1)
    await settled(manage)
    expect(await manage('GET')).toMatchObject({ state: 'disabled', disabled: { reason: 'gone' } })
  })
})

/** The deliveries, once the answer to the first attempt is written down. */
const settled = (manage: (method: string, path: string) => Promise<Record<string, unknown>>) =>
  until(
    'every message was tried',
    () => manage('GET', '/deliveries'),
    ({ data }) => (data as { attempts: number }[]).every(({ attempts }) => attempts > 0),
  )

describe('the receiver of docs/receive-webhooks.md', () => {
  it('takes what is signed, prints each message once, and refuses what is not', async () => {
    const [, example = ''] = /```js\n([^]*?)```/.exec(readFileSync('docs/receive-webhooks.md', 'utf8')) ?? []
    expect(example.trim().split('\n').length).toBeLessThanOrEqual(24)
    const file = join(tmpdir(), `webhook-example-${process.pid}.mjs`)
    writeFileSync(file, example)
    const { manage } = await foundOrganisation()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/`
    const { secret } = await manage('PUT', '', { url })
    const child = spawn('node', [file], { env: { ...process.env, WEBHOOK_SECRET: String(secret), PORT: String(port) } })
    const printed = once(child.stdout, 'data')
    try {
      const forged = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) }
      const headers = { ...forged, 'webhook-signature': 'v1,AAAA' }
      const forge = () =>
        fetch(url, { method: 'POST', headers, body: '{}' })
          .then((response) => response.status)
          .catch(() => null)
      expect(await until('the receiver answers', forge, (status) => status !== null)).toBe(401)
      await manage('POST', '/test')
      const { data } = await settled(manage)
      expect(data).toMatchObject([{ state: 'delivered', last_attempt: { status: 204 } }])
      expect(String(await printed)).toBe('webhook.test\n')
    } finally {
      child.kill()
    }
  })
})
