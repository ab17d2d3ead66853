// Callers who leave before there is an answer, on plain workerd.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyRecord } from '../../src/evidence/records/verify-record.ts'
import { postJson, withKey } from '../support/e2e/deployment.ts'
import { startGatewayOnWorkerd, type GatewayOnWorkerd } from '../support/e2e/gateway-on-workerd.ts'
import { ask, readEvents } from '../support/e2e/gateway.ts'
import { until } from '../support/until.ts'

let gateway: GatewayOnWorkerd

beforeAll(async () => {
  gateway = await startGatewayOnWorkerd()
})
afterAll(() => gateway.close())

const post = (key: string, body: object, init: RequestInit = {}) =>
  fetch(`${gateway.url}/v1/chat/completions`, { ...postJson(key, body), ...init })

describe('a caller who leaves before the answer', () => {
  it.each([false, true])('does not make its cost disappear (stream: %s)', async (stream) => {
    const { key, id } = await gateway.createKey()
    gateway.emulator.reset()
    gateway.emulator.behave('openai', ['until-released'])
    const leaving = new AbortController()
    const asked = post(key, ask('gpt-4.1-mini', { stream }), { signal: leaving.signal }).catch(() => 'left')
    await until(
      'the provider is asked',
      () => gateway.emulator.requests().length,
      (count) => count > 0,
    )
    leaving.abort()
    expect(await asked).toBe('left')
    gateway.emulator.release()
    await gateway.emulator.idle()
    const settlement = await gateway.settlementOf({ key_id: id })
    expect(settlement.cost_microeur).toBeGreaterThan(0)
    expect(['completed', 'cancelled']).toContain(settlement.ended)
  })
})

describe('a caller who leaves in the middle of a stream', () => {
  it('has its provider cancelled and what was produced settled, in the format of the Responses too', async () => {
    const { key, id } = await gateway.createKey()
    gateway.emulator.reset()
    gateway.emulator.behave('anthropic', ['stream,4000,20'])
    const body = { model: 'claude-haiku-4-5', input: 'Write at length.', stream: true, max_output_tokens: 8000 }
    const leaving = new AbortController()
    const response = await fetch(`${gateway.url}/v1/responses`, { ...postJson(key, body), signal: leaving.signal })
    const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader()
    let read = 0
    while (read < 6_000) read += (await reader?.read())?.value?.length ?? Infinity
    leaving.abort()
    await gateway.emulator.idle()
    expect(gateway.emulator.requests().map(({ state }) => state)).toEqual(['cancelled'])
    const settlement = await gateway.settlementOf({ key_id: id })
    expect(settlement).toMatchObject({ ended: 'cancelled', error_cause: 'caller', estimated: true })
    expect(settlement.cost_microeur).toBeGreaterThan(0)
  })

  it.each([0, 1])(
    'of a model that searches is charged what was read, near what it would have cost (%i searches)',
    async (searches) => {
      const { key, id } = await gateway.createKey()
      const body = ask('sonar', { stream: true, max_completion_tokens: 4000 })
      const found = searches === 0 ? '' : `search,${searches}+`
      gateway.emulator.reset()
      gateway.emulator.behave('perplexity', [`${found}stream,3000,20`, `${found}chars,400`])
      const leaving = new AbortController()
      const response = await post(key, body, { signal: leaving.signal })
      const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader()
      let read = 0
      while (read < 2_000) read += (await reader?.read())?.value?.length ?? Infinity
      leaving.abort()
      await gateway.emulator.idle()
      const settlement = await gateway.settlementOf({ key_id: id })
      expect(settlement).toMatchObject({ ended: 'cancelled', estimated: true })
      const whole = await readEvents(await post(key, { ...body, stream_options: { include_usage: true } }))
      const told = whole.chunks.at(-1)?.usage?.prompt_tokens ?? 0
      const charged = settlement.usage?.['input_uncached'] ?? -1
      // A third more than is told: texts are taken for 3 bytes a token and are some 4.
      expect(charged).toBeGreaterThanOrEqual(told)
      expect(charged).toBeLessThanOrEqual(Math.ceil((told * 4) / 3) + 30)
    },
  )

  it('can have the record later: its id is on the answer before the first byte', async () => {
    const { key } = await gateway.createKey()
    const leaving = new AbortController()
    const init = { signal: leaving.signal }
    const { headers } = await post(key, ask('claude-haiku-4-5', { stream: true }), init)
    leaving.abort()
    const ids = ['x-aqta-attestation-id', 'x-aqta-trace-id'].map((name) => headers.get(name))
    const answers = await Promise.all(
      ids.map(async (id) => {
        const response = await fetch(`${gateway.url}/v1/attestations/${id}`, withKey(key))
        return (await response.json()) as Record<string, unknown>
      }),
    )
    const shown = await fetch(`${gateway.url}/v1/attestation/public-key`)
    const { public_key: pinned } = (await shown.json()) as { public_key: string }
    for (const record of answers) {
      expect(verifyRecord(record, { keys: [pinned] })).toEqual({ valid: true, keySource: 'pinned' })
      expect([record['attestation_id'], record['trace_id']]).toEqual(ids)
    }
    await gateway.emulator.idle()
  })
})
