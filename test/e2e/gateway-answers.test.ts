// Models' answers under `pii_scan.answers`, through the built Worker: what is taken out reaches no caller and no store, what is
// blocked ends the answer and is charged, and the settlement says what was read.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { postJson } from '../support/e2e/deployment.ts'
import {
  ask,
  MODEL_OF_EACH,
  readEvents,
  sharedGateway,
  type Aqta,
  type ErrorAqta,
  type Gateway,
  type GatewayKey,
} from '../support/e2e/gateway.ts'
import { signInAs } from '../support/e2e/members.ts'

const PPS = '1234567FA'
const CARD = '4111 1111 1111 1111'
const SAID = `Her PPS number is ${PPS}, and the card for the clinic was ${CARD}, as they told us`
const VALUES = /1234567|7FA|4111|1111/

const REDACT = { default: 'redact' }
const STOP = { default: 'report', shapes: { payment_card: 'block', pps_number: 'redact' } }

let gateway: Gateway
let key: GatewayKey
let asked = 0

beforeAll(async () => {
  gateway = await sharedGateway()
})
beforeEach(async () => {
  gateway.emulator.reset()
  key = await gateway.createKey({ idempotent_replays: true }, { scopes: ['chat', 'manage'] })
})

/** Requests are not looked at, so that the model repeats values that it was sent. */
const put = (answers: object, rules: object = {}): Promise<void> =>
  gateway.putPolicy(key, { pii_scan: { default: 'ignore', answers }, ...rules })

function message(said = SAID): { role: string; content: string } {
  asked += 1
  return { role: 'user', content: `${said} (${asked}).` }
}

const redacted = ({ content }: { content: string }): string =>
  content.replace(PPS, '[PPS_NUMBER]').replace(CARD, '[PAYMENT_CARD]')

const settled = async (count = 1) => {
  await gateway.settlements(key.organisationId, count)
  const entries = await gateway.service.ledger(key.organisationId)
  return entries.filter((entry) => 'settles' in entry)
}

type Completion = {
  choices: { message: { content: string; tool_calls?: { function: { arguments: string } }[] } }[]
  aqta: Aqta
}
type Stopped = { error: { code: string; message: string }; aqta: ErrorAqta }

describe.each(MODEL_OF_EACH)('an answer of %s', (_, model, endpoint) => {
  it('loses its values, whole and streamed, in both formats, and the settlements say so', async () => {
    await put(REDACT)
    gateway.emulator.behave(endpoint, ['echo,5', 'echo,3', 'echo,7', 'echo,1'])
    const [whole, streamed, response, streamedResponse] = [message(), message(), message(), message()]
    const answer = (await (await gateway.chat(key.key, { model, messages: [whole] })).json()) as Completion
    expect(answer.choices[0]?.message.content).toBe(redacted(whole))
    expect(answer.aqta).toMatchObject({ answer_redacted: 2, status: 'passed' })
    expect(answer.aqta.attestation.policy_applied).toContain('pii_scan.answers')

    const body = await (await gateway.chat(key.key, { model, messages: [streamed], stream: true })).text()
    expect(body).not.toMatch(VALUES)
    const { chunks, text, done } = await readEvents(new Response(body))
    expect([text, done]).toEqual([redacted(streamed), true])
    expect(chunks.flatMap(({ aqta }) => aqta ?? [])).toMatchObject([{ answer_redacted: 2 }])

    const post = async (more: object) =>
      (await gateway.service.fetch('/v1/responses', postJson(key.key, { model, ...more }))).text()
    expect(await post({ input: response.content })).toContain(redacted(response))
    const events = await post({ input: streamedResponse.content, stream: true })
    expect(events).not.toMatch(VALUES)
    expect(events).toContain(redacted(streamedResponse))

    const scan = { coverage: 'full', found: { pps_number: 1, payment_card: 1 }, redacted: 2 }
    for (const one of await settled(4)) expect(one).toMatchObject({ ended: 'completed', answer_scan: scan })
  })

  it('ends before a value that is blocked, whole and streamed, and is charged', async () => {
    await put(STOP)
    gateway.emulator.behave(endpoint, ['echo,5', 'echo,4', 'echo,6'])
    const response = await gateway.chat(key.key, { model, messages: [message()] })
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([403, 'false'])
    const said = await response.text()
    expect(said).not.toMatch(VALUES)
    const { error, aqta } = JSON.parse(said) as Stopped
    const stopped = { code: 'answer_blocked', policy: 'pii_scan.answers', reason: 'found: payment_card' }
    expect(error).toMatchObject(stopped)
    expect(aqta).toMatchObject({ status: 'passed' })
    expect(aqta.cost_eur).toBeGreaterThan(0)

    const body = await (await gateway.chat(key.key, { model, messages: [message()], stream: true })).text()
    expect(body).not.toMatch(VALUES)
    const { chunks, text, done } = await readEvents(new Response(body))
    expect(done).toBe(false)
    expect('Her PPS number is [PPS_NUMBER], and the card for the clinic was '.startsWith(text)).toBe(true)
    expect(chunks.at(-1)).toMatchObject({ error: stopped })
    expect(JSON.stringify(chunks)).not.toContain('"finish_reason":"')

    const input = message().content
    const events = await (
      await gateway.service.fetch('/v1/responses', postJson(key.key, { model, input, stream: true }))
    ).text()
    expect(events).not.toMatch(VALUES)
    expect(events).toMatch(/event: error\ndata: \{.*answer_blocked/)
    expect(events).not.toContain('response.completed')

    const found = { pps_number: 1, payment_card: 1 }
    const entries = await settled(3)
    for (const one of entries) {
      expect(one).toMatchObject({
        ended: 'withheld',
        error_cause: 'withheld',
        answer_scan: { found, stopped: ['payment_card'] },
      })
      expect(one['cost_microeur']).toBeGreaterThan(0)
    }
    const coverage = entries.map((one) => (one['answer_scan'] as { coverage: string }).coverage)
    expect(coverage).toEqual(['none', 'full', 'full'])
  })
})

describe('an answer', () => {
  it('keeps each byte where its values are only counted, or where it has none', async () => {
    const readWith = async (rules: object, said?: string) => {
      await gateway.putPolicy(key, { ...rules, loop_guard: { repeats: 20 } })
      gateway.emulator.reset()
      gateway.emulator.behave('openai', ['echo,5'])
      const body = { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: said ?? SAID }], stream: true }
      const text = await (await gateway.chat(key.key, body)).text()
      return text
        .split('\n\n')
        .map((event) => (event.includes('"aqta"') ? 'aqta' : event.replaceAll(/"id":"[^"]*"|"created":\d+/g, '')))
    }
    const clean = 'Blood pressure 120/80 on 5 mg of amlodipine, reviewed with the practice nurse'
    const bare = await readWith({}, clean)
    for (const answers of [REDACT, STOP, { default: 'report' }])
      expect(await readWith({ pii_scan: { default: 'ignore', answers } }, clean)).toEqual(bare)
    const counted = await readWith({ pii_scan: { default: 'ignore', answers: { default: 'report' } } })
    expect(counted).toEqual(await readWith({}))
    const scans = (await settled(6)).map((one) => one['answer_scan'])
    expect(scans[0]).toEqual({ coverage: 'none' })
    expect(scans[1]).toEqual({ coverage: 'full' })
    expect(scans[4]).toEqual({ coverage: 'full', found: { pps_number: 1, payment_card: 1 } })
  })

  it('has back what its request lost, and loses what the model itself says', async () => {
    await gateway.putPolicy(key, {
      pii_scan: { default: 'redact', shapes: { payment_card: 'ignore' }, answers: REDACT },
    })
    gateway.emulator.behave('openai', ['echo,5', 'echo'])
    const said = message()
    const { text } = await readEvents(
      await gateway.chat(key.key, { model: 'gpt-4.1-mini', messages: [said], stream: true }),
    )
    expect(text).toBe(said.content.replace(CARD, '[PAYMENT_CARD]'))
    const whole = (await (
      await gateway.chat(key.key, { model: 'gpt-4.1-mini', messages: [message()] })
    ).json()) as Completion
    expect(whole.choices[0]?.message.content).toContain(`${PPS}, and the card for the clinic was [PAYMENT_CARD]`)
  })

  it('stays JSON in the arguments of a call', async () => {
    await put(REDACT)
    gateway.emulator.behave('openai', ['tool-call+echo', 'tool-call+echo'])
    const tools = [{ type: 'function', function: { name: 'ring', parameters: { type: 'object', properties: {} } } }]
    const whole = message()
    const response = await gateway.chat(key.key, { model: 'gpt-4.1-mini', messages: [whole], tools })
    const [call] = ((await response.json()) as Completion).choices[0]?.message.tool_calls ?? []
    expect(JSON.parse(call?.function.arguments ?? '')).toEqual({ text: redacted(whole) })
    const body = { model: 'gpt-4.1-mini', messages: [message()], tools, stream: true }
    expect(await (await gateway.chat(key.key, body)).text()).not.toMatch(VALUES)
  })

  it('is read but for thinking that nobody can read, which its settlement names', async () => {
    await put(REDACT)
    gateway.emulator.behave('anthropic', ['redacted-thinking'])
    await (await gateway.chat(key.key, { model: 'claude-opus-5', messages: [message('Hello')] })).text()
    expect(await settled()).toMatchObject([{ answer_scan: { coverage: 'partial', unread: ['sealed_thinking'] } }])
  })

  it('is searched under the policy that decides, from the first call after a change on', async () => {
    gateway.emulator.behave('openai', ['echo', 'echo', 'echo', 'echo'])
    const send = async () => (await gateway.chat(key.key, { model: 'gpt-4.1-mini', messages: [message()] })).status
    await put({ default: 'ignore' })
    expect(await send()).toBe(200)
    await put(STOP)
    expect(await Promise.all([send(), send()])).toEqual([403, 403])
    await put({ default: 'ignore' })
    expect(await send()).toBe(200)
  })
})

describe('a stopped answer', () => {
  it('is given again under its idempotency key as it was, and no model is asked twice', async () => {
    await put(STOP)
    for (const stream of [false, true]) {
      gateway.emulator.behave('openai', ['echo,5'])
      const body = { model: 'gpt-4.1-mini', messages: [message()], stream }
      const own = { headers: { 'idempotency-key': `k${stream}` } }
      const first = await gateway.chat(key.key, body, own)
      const said = await first.text()
      await settled(stream ? 2 : 1)
      const second = await gateway.chat(key.key, body, own)
      expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([first.status, 'true'])
      expect(await second.text()).toBe(said)
    }
    expect(gateway.emulator.requests()).toHaveLength(2)
  })

  it('is never cached, and neither is one that lost a value; one that was read in full is', async () => {
    await put(STOP, { cache: { ttl_seconds: 3600 } })
    const send = async (content: string) => {
      gateway.emulator.behave('openai', ['echo'])
      const response = await gateway.chat(key.key, {
        model: 'gpt-4.1-mini',
        temperature: 0,
        messages: [{ role: 'user', content }],
      })
      await response.text()
      return response.status
    }
    const sent = async (content: string) => {
      const before = gateway.emulator.requests().length
      const statuses = [await send(content)]
      await settled(1 + 2 * sends++)
      statuses.push(await send(content))
      await settled(2 * sends)
      return [...statuses, gateway.emulator.requests().length - before]
    }
    let sends = 0
    expect(await sent(SAID)).toEqual([403, 403, 2])
    expect(await sent(`Her PPS number is ${PPS}`)).toEqual([200, 200, 2])
    expect(await sent('Well, thank you')).toEqual([200, 200, 1])
    expect((await settled(6)).at(-1)).toMatchObject({ ended: 'cached', answer_scan: { coverage: 'full' } })
  })

  it('is kept as it was sent', async () => {
    const { organisationId } = key
    await gateway.service.operate('PATCH', `/organisations/${organisationId}`, {
      content_logging: { retention_days: 7 },
    })
    await put(STOP)
    const auditor = await signInAs(gateway.service, organisationId, 'auditor')
    const keptOf = async (aqta: { attestation_id?: string; attestation?: { attestation_id: string } } | undefined) => {
      const id = aqta?.attestation_id ?? aqta?.attestation?.attestation_id ?? ''
      const path = `/api/compliance/content/${id}`
      const kept = (await (await gateway.service.fetch(path, { headers: auditor.headers })).json()) as {
        answer: unknown
      }
      return JSON.stringify(kept.answer)
    }
    gateway.emulator.behave('openai', ['echo,5', 'echo', 'echo,5'])
    const body = { model: 'gpt-4.1-mini', stream: true }
    const stream = await readEvents(await gateway.chat(key.key, { ...body, messages: [message()] }))
    const whole = (await (
      await gateway.chat(key.key, { ...body, stream: false, messages: [message()] })
    ).json()) as Stopped
    const lost = await readEvents(
      await gateway.chat(key.key, { ...body, messages: [message(`Her PPS number is ${PPS}`)] }),
    )
    await settled(3)
    const [error] = stream.chunks.slice(-1) as unknown as Stopped[]
    expect(await keptOf(error?.aqta)).toContain(JSON.stringify(stream.text).slice(1, -1))
    expect(await keptOf(error?.aqta)).not.toMatch(VALUES)
    expect(await keptOf(whole.aqta)).toBe('null')
    const kept = await keptOf(lost.chunks.flatMap(({ aqta }) => aqta ?? [])[0])
    expect(kept).toContain('Her PPS number is [PPS_NUMBER]')
    expect(kept).not.toMatch(VALUES)
  })
})

describe('a call whose policy has no rule for answers', () => {
  it('settles with nothing read', async () => {
    await (await gateway.chat(key.key, ask('gpt-4.1-mini'))).text()
    expect(await settled()).toMatchObject([{ answer_scan: { coverage: 'none' } }])
  })
})
