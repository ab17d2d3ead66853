// The emulator's refusals in Mistral's shapes, and the thoughts that it sends as Mistral does.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmulator, type Emulator } from '../../scripts/emulator/server.ts'
import { createMistralDecoder, decodeMistral } from '../../src/providers/mistral/decode.ts'
import { assembleAnswer } from '../../src/providers/assemble-answer.ts'
import { createSseParser } from '../../src/providers/sse.ts'

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())

const user = { role: 'user', content: 'Hello' }

function call(more: object, { key = 'emulator-key', behave = 'ok' } = {}): Promise<Response> {
  return fetch(`${emulator.url}/mistral-eu/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'x-emulator-behaviour': behave },
    body: JSON.stringify({ model: 'mistral-medium-3-5', messages: [user], ...more }),
  })
}

describe('the emulated Mistral', () => {
  const callNamed = (id: string) => ({ id, function: { name: 'look', arguments: '{}' } })

  it.each<[string, object, readonly (string | number)[], string]>([
    ['store', { store: false }, ['store'], 'extra_forbidden'],
    ['max_completion_tokens', { max_completion_tokens: 9 }, ['max_completion_tokens'], 'extra_forbidden'],
    ['stream_options', { stream_options: {} }, ['stream_options'], 'extra_forbidden'],
    ['user', { user: 'u' }, ['user'], 'extra_forbidden'],
    ['seed', { seed: 7 }, ['seed'], 'extra_forbidden'],
    ['a name', { messages: [{ ...user, name: 'Ann' }] }, ['messages', 0, 'name'], 'extra_forbidden'],
    [
      'an id of ten characters',
      { messages: [user, { role: 'assistant', tool_calls: [callNamed('D681PevKsX')] }] },
      ['messages', 1, 'tool_calls', 0, 'id'],
      'value_error',
    ],
  ])('refuses %s', async (_, more, loc, type) => {
    const response = await call(more)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ detail: [{ type, loc: ['body', ...loc] }] })
  })

  it.each([
    ['system', 'assistant'],
    ['system', 'tool'],
    ['user', 'tool'],
  ])('refuses the role %s after %s', async (role, before) => {
    const response = await call({ messages: [user, { role: before, content: 'x' }, { role, content: 'x' }] })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      object: 'error',
      type: 'invalid_request_message_order',
      code: '3230',
    })
  })

  it('refuses a conversation that ends with the assistant, unless it is to be continued', async () => {
    const answer = { role: 'assistant', content: 'A' }
    const refused = await call({ messages: [user, answer] })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ object: 'error', type: 'invalid_request_error', param: null })
    expect((await call({ messages: [user, { ...answer, prefix: true }] })).status).toBe(200)
  })

  it('says nothing but Unauthorized of a wrong key', async () => {
    const response = await call({}, { key: 'wrong' })
    expect([response.status, await response.json()]).toEqual([401, { detail: 'Unauthorized' }])
  })

  it('thinks in chunks of the content, whole and streamed, where it is asked to', async () => {
    const asked = { reasoning_effort: 'high' }
    const body: unknown = await (await call(asked, { behave: 'thinking' })).json()
    const stream = new Uint8Array(await (await call({ ...asked, stream: true }, { behave: 'thinking' })).arrayBuffer())
    for (const text of [JSON.stringify(body), new TextDecoder().decode(stream)]) expect(text).toContain('"thinking"')
    const decoder = createMistralDecoder()
    const parsed = createSseParser({ maxEventBytes: 100_000 }).push(stream) ?? []
    const events = parsed.flatMap((raw) => decoder.push(raw, true).events)
    const whole = decodeMistral(body)
    const said = 'This is the Countersign emulator, not a model. You sent 1 message, 5 characters.'
    expect(whole.ok && whole.answer.choices[0]?.text).toBe(said)
    expect(assembleAnswer(events).choices[0]?.text).toBe(said)
    expect(events.at(-1)).toEqual({ type: 'end' })
  })
})
