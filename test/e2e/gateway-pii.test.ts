// Identifiers in prompts, through the built Worker: what is taken out no provider sees and every caller gets back, what is blocked
// is not sent, and neither is stored.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyRecord } from '../../src/evidence/records/verify-record.ts'
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

const PHONE = '087 123\n4567'
const EIRCODE = 'D02 X285'
const EMAIL = '"joe bloggs"@example.ie'
const SAID = `Ring ${PHONE} at ${EIRCODE}, or write to ${EMAIL}. Not [EIRCODE_1]. Ring ${PHONE} again`
const SENT =
  'Ring [PHONE_NUMBER_1] at [EIRCODE_2], or write to [EMAIL_ADDRESS_1]. Not [EIRCODE_1]. Ring [PHONE_NUMBER_1] again'
const REDACT = { pii_scan: { default: 'redact' } }

let gateway: Gateway
let key: GatewayKey
let asked = 0

beforeAll(async () => {
  gateway = await sharedGateway()
})
beforeEach(async () => {
  gateway.emulator.reset()
  key = await gateway.createKey({}, { scopes: ['chat', 'manage'] })
})

const post = (path: string, body: object, method = 'POST'): Promise<Response> =>
  gateway.service.fetch(path, {
    method,
    headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const put = (document: object): Promise<void> => gateway.putPolicy(key, document)

/** Returns, as JSON, every body that providers received. */
const sent = (): string => JSON.stringify(gateway.emulator.requests().map(({ body }) => body))

function expectPlaceholdersAlone(): void {
  for (const value of [PHONE, EIRCODE, EMAIL]) expect(sent()).not.toContain(JSON.stringify(value).slice(1, -1))
  expect(sent()).toContain(`${SENT} in message ${asked}.`)
}

/** No two the same, or they would be taken for a loop. */
function message(): { role: string; content: string } {
  asked += 1
  return { role: 'user', content: `${SAID} in message ${asked}.` }
}

const decisions = async () =>
  (await gateway.service.ledger(key.organisationId)).filter(({ kind }) => kind === 'chat_decision')

type Completion = { choices: { message: { content: string | null; tool_calls?: Call[] } }[]; aqta: Aqta }
type Call = { function: { arguments: string } }

describe.each(MODEL_OF_EACH)('what is taken out of a request to %s', (_, model, endpoint) => {
  it('is put back into its answer, whole and streamed, and was never sent', async () => {
    await put(REDACT)
    gateway.emulator.behave(endpoint, ['echo,5', 'echo,5'])
    const whole = message()
    const response = await gateway.chat(key.key, { model, messages: [whole] })
    expect(response.status).toBe(200)
    const { choices } = (await response.json()) as Completion
    expect(choices[0]?.message.content).toBe(whole.content)
    expectPlaceholdersAlone()
    const streamed = message()
    const { text, done } = await readEvents(await gateway.chat(key.key, { model, messages: [streamed], stream: true }))
    expect([text, done]).toEqual([streamed.content, true])
    expectPlaceholdersAlone()
  })
})

describe('what is taken out', () => {
  it('is counted in the entry, by shape, and is nowhere in the ledger', async () => {
    await put({ pii_scan: { default: 'redact', shapes: { phone_number: 'report', email_address: 'ignore' } } })
    const { aqta } = (await (
      await gateway.chat(key.key, { model: 'gpt-4.1-mini', messages: [message()] })
    ).json()) as Completion
    expect(aqta.attestation.policy_applied).toContain('pii_scan')
    const entries = await decisions()
    expect(entries).toMatchObject([{ outcome: 'ALLOWED', pii: { phone_number: 2, eircode: 1 }, redacted: 1 }])
    expect(JSON.stringify(await gateway.service.ledger(key.organisationId))).not.toMatch(/X285|087 123|bloggs/)
    expect(gateway.service.logs().join('\n')).not.toMatch(/X285|087 123|bloggs/)
    expect(sent()).toContain('[EIRCODE_2], or write to \\\\\\"joe')
  })

  it('comes back in the arguments of calls, whole and streamed', async () => {
    await put(REDACT)
    gateway.emulator.behave('openai', ['tool-call+echo', 'tool-call+echo'])
    const tools = [{ type: 'function', function: { name: 'ring', parameters: { type: 'object', properties: {} } } }]
    const whole = message()
    const answer = (await (
      await gateway.chat(key.key, { model: 'gpt-4.1-mini', messages: [whole], tools })
    ).json()) as Completion
    const [call] = answer.choices[0]?.message.tool_calls ?? []
    expect(JSON.parse(call?.function.arguments ?? '')).toEqual({ text: whole.content })
    const streamed = message()
    const body = { model: 'gpt-4.1-mini', messages: [streamed], tools, stream: true }
    const { chunks } = await readEvents(await gateway.chat(key.key, body))
    const pieces = chunks.flatMap(({ choices }) =>
      choices.flatMap(({ delta }) => delta.tool_calls?.map((one) => one.function?.arguments ?? '') ?? []),
    )
    expect(JSON.parse(pieces.join(''))).toEqual({ text: streamed.content })
    expectPlaceholdersAlone()
  })

  it('comes back in a JSON object as JSON', async () => {
    await put(REDACT)
    gateway.emulator.behave('openai', ['echo'])
    const said = message()
    const body = { model: 'gpt-4.1-mini', messages: [{ role: 'system', content: 'Answer in JSON.' }, said] }
    const response = await gateway.chat(key.key, { ...body, response_format: { type: 'json_object' } })
    const { choices } = (await response.json()) as Completion
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ text: said.content })
  })

  it('comes back in a response, whole and streamed', async () => {
    await put(REDACT)
    gateway.emulator.behave('anthropic', ['echo,7', 'echo,7'])
    const body = { model: 'claude-haiku-4-5' }
    const whole = message().content
    const response = (await (await post('/v1/responses', { ...body, input: whole })).json()) as Output
    expect(textsOf(response)).toEqual([whole])
    const streamed = message().content
    const events = await (await post('/v1/responses', { ...body, input: streamed, stream: true })).text()
    const completed = /event: response\.completed\ndata: (.+)\n/.exec(events)?.[1] ?? '{}'
    const { response: last } = JSON.parse(completed) as { response: Output }
    expect(textsOf(last)).toEqual([streamed])
    expectPlaceholdersAlone()
  })
})

type Output = { output: { content?: { text: string }[] }[] }

const textsOf = ({ output }: Output): string[] => output.flatMap(({ content = [] }) => content.map(({ text }) => text))

describe.each(MODEL_OF_EACH)('a value that is cut in two, sent to %s', (_, model, endpoint) => {
  it('is taken out of both parts and of both messages, and comes back', async () => {
    await put(REDACT)
    gateway.emulator.behave(endpoint, ['echo,3', 'echo,3'])
    asked += 1
    const texts = [`My PPSN is 1234`, `567FA, in message ${asked}.`]
    const parts = { role: 'user', content: texts.map((text) => ({ type: 'text', text })) }
    const whole = (await (await gateway.chat(key.key, { model, messages: [parts] })).json()) as Completion
    expect(whole.choices[0]?.message.content).toContain('567FA, in message')
    const messages = texts.map((content) => ({ role: 'user', content }))
    const { text } = await readEvents(await gateway.chat(key.key, { model, messages, stream: true }))
    expect(text).toContain('567FA, in message')
    expect(sent()).toContain('My PPSN is [PPS_NUMBER_1]')
    expect(sent()).not.toMatch(/567FA|is 1234/)
    expect(await decisions()).toMatchObject([{ pii: { pps_number: 1 } }, { pii: { pps_number: 1 } }])
  })
})

describe('what cannot be taken out', () => {
  const picture = (url: string) => ({
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url } },
    ],
  })

  it('of the address of a picture, is not sent', async () => {
    const messages = [picture('https://example.ie/4111111111111111.png')]
    for (const [action, reason] of [
      ['block', 'found: payment_card'],
      ['redact', 'not_redactable: payment_card'],
    ]) {
      await put({ pii_scan: { default: 'report', shapes: { payment_card: action } } })
      const response = await gateway.chat(key.key, { model: 'gpt-4.1-mini', messages })
      const { error } = (await response.json()) as { error: object }
      expect([response.status, error]).toMatchObject([403, { code: 'policy_blocked', policy: 'pii_scan', reason }])
    }
    expect(gateway.emulator.requests()).toEqual([])
    const entry = (await decisions()).at(-1)
    expect(entry).toMatchObject({ pii: { payment_card: 1 }, pii_not_redactable: { payment_card: 1 } })
  })

  it('is no date, which programs write into addresses and names', async () => {
    await put(REDACT)
    const messages = [picture('https://example.ie/2026/05/12/a.png')]
    expect((await gateway.chat(key.key, { model: 'gpt-4.1-mini', messages })).status).toBe(200)
  })
})

describe('what is blocked', () => {
  it('reaches no provider; its record verifies, and the error and the entry name the shapes', async () => {
    await put({ pii_scan: { default: 'report', shapes: { eircode: 'block', email_address: 'block' } } })
    const response = await gateway.chat(key.key, { model: 'gpt-4.1-mini', messages: [message()] })
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([403, 'false'])
    const text = await response.text()
    expect(text).not.toMatch(/X285|087 123|bloggs/)
    const { error, aqta } = JSON.parse(text) as { error: object; aqta: ErrorAqta }
    const reason = 'found: eircode, email_address'
    expect(error).toMatchObject({ code: 'policy_blocked', policy: 'pii_scan', reason })
    expect(gateway.emulator.requests()).toEqual([])
    const publicKey = await gateway.publicKey()
    const record = await gateway.record(key, aqta.attestation_id)
    expect(verifyRecord(record, { keys: [publicKey] })).toMatchObject({ valid: true })
    expect(record).toMatchObject({ outcome: 'BLOCKED', policy_applied: ['pii_scan'] })
    const [entry] = await decisions()
    expect(entry).toMatchObject({ reason, pii: { phone_number: 2, eircode: 1, email_address: 1 } })
    expect(entry).not.toHaveProperty('redacted')
  })

  it('is blocked from the first request after the change on, and let pass once the rule is gone', async () => {
    const send = async () => (await gateway.chat(key.key, { model: 'gpt-4.1-mini', messages: [message()] })).status
    await put(REDACT)
    expect(await send()).toBe(200)
    await put({ pii_scan: { default: 'block' } })
    gateway.emulator.reset()
    expect(await Promise.all([send(), send(), send()])).toEqual([403, 403, 403])
    expect(gateway.emulator.requests()).toEqual([])
    await put({ pii_scan: { default: 'ignore' } })
    expect(await send()).toBe(200)
    expect(sent()).toContain(EIRCODE)
    await put({})
    expect(await send()).toBe(200)
  })
})

describe('a request without any', () => {
  it('is answered with the provider’s own events, and its entry says nothing', async () => {
    await put(REDACT)
    const whole = await gateway.chat(key.key, ask('gpt-4.1-mini'))
    expect(((await whole.json()) as { id: string }).id).not.toMatch(/^chatcmpl-[0-9a-f]{32}$/)
    const { chunks } = await readEvents(await gateway.chat(key.key, ask('gpt-4.1-mini', { stream: true })))
    expect(chunks[0]?.id).not.toMatch(/^chatcmpl-[0-9a-f]{32}$/)
    for (const entry of await decisions()) expect(entry).not.toHaveProperty('pii')
  })
})
