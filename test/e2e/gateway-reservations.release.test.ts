// No call is settled for more than was reserved for it, whatever the emulated providers answer; and what was reserved is what
// the provider was told.
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ask, startGateway, type StartedGateway, type GatewayKey } from '../support/e2e/gateway.ts'

let gateway: StartedGateway

beforeAll(async () => {
  // A body that is cut off shows here as silence.
  gateway = await startGateway({ PROVIDER_SILENCE_LIMIT_MS: '500' })
})
afterAll(() => gateway.close())
beforeEach(() => gateway.emulator.reset())

const MODELS = {
  openai: 'gpt-5.6-sol',
  anthropic: 'claude-haiku-4-5',
  google: 'gemini-3.8-flash',
  perplexity: 'sonar-pro',
} as const

type Entry = Record<string, unknown>

/** Each settlement with the decision that it settles. The ledger's entries are at their positions. */
async function settled({ organisationId }: GatewayKey, count: number): Promise<{ cost: number; reserved: number }[]> {
  await gateway.settlements(organisationId, count)
  const entries = await gateway.service.ledger(organisationId)
  return entries.flatMap((entry: Entry) => {
    if (typeof entry['settles'] !== 'number') return []
    return [{ cost: Number(entry['cost_microeur']), reserved: Number(entries[entry['settles']]?.['reserve_microeur']) }]
  })
}

const BEHAVIOURS = [
  'ok',
  'chars,40000',
  'stream,300,0',
  'tool-call,3',
  'cached,500',
  'cache-write,500',
  'reasoning,100000',
  'search,4',
  'no-usage',
  'no-usage+chars,40000',
  'no-usage+split',
  'double-usage',
  'refusal',
  'length',
  'truncate,2',
  'cut,2',
  'mid-error,2',
  'malformed',
  'empty-choices',
  'cached,300+cache-write,300+reasoning,50+chars,9000+search,2',
]

const prompt = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
  fc.uint8Array({ minLength: 1, maxLength: 900 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.constantFrom('患者主诉胸痛三天', 'ﷺ'.repeat(40), '🩺'.repeat(60)),
)

describe.each(Object.entries(MODELS))('%s', (provider, model) => {
  it('settles no call for more than was reserved', async () => {
    const key = await gateway.createKey({ tier: 'enterprise', requests_per_minute: 30_000 })
    let calls = 0
    const call = fc.record({
      behaviour: fc.constantFrom(...BEHAVIOURS),
      content: prompt,
      stream: fc.boolean(),
      maxTokens: fc.option(fc.integer({ min: 1, max: 3000 }), { nil: undefined }),
      tools: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(call, async ({ behaviour, content, stream, maxTokens, tools }) => {
        gateway.emulator.behave(provider as keyof typeof MODELS, [behaviour])
        const response = await gateway.chat(key.key, {
          model,
          messages: [{ role: 'user', content: `${(calls += 1)} ${content}` }],
          stream,
          max_completion_tokens: maxTokens,
          ...(tools && { tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }] }),
        })
        await response.text()
      }),
      { numRuns: 50, seed: 20_261_120, endOnFailure: true },
    )
    const all = await settled(key, calls)
    expect(all.length).toBe(calls)
    expect(all.filter(({ cost }) => cost > 0).length).toBeGreaterThan(calls / 3)
    expect(all.filter(({ cost, reserved }) => !(cost <= reserved))).toEqual([])
  })

  it('is told the organisation’s default where the caller sets no limit, and the caller’s own where it does', async () => {
    const key = await gateway.createKey({ default_max_tokens: 77 })
    const limits = async (more: object): Promise<unknown> => {
      const response = await gateway.chat(key.key, ask(model, more))
      expect(response.status).toBe(200)
      const body = JSON.parse(gateway.emulator.requests().at(-1)?.body ?? '{}') as Record<string, unknown>
      const config = body['generationConfig'] as Record<string, unknown> | undefined
      return (
        body['max_completion_tokens'] ?? body['max_tokens'] ?? body['max_output_tokens'] ?? config?.['maxOutputTokens']
      )
    }
    expect(await limits({})).toBe(77)
    expect(await limits({ max_tokens: 500 })).toBe(500)
    await gateway.service.operate('PATCH', `/organisations/${key.organisationId}`, { default_max_tokens: 33 })
    expect(await limits({})).toBe(33)
  })
})

it('admits a call without a limit to a model that can write much, on a budget that holds the default', async () => {
  const { key } = await gateway.createKey({ monthly_budget_eur: 1 })
  expect((await gateway.chat(key, ask('gpt-5.6-sol'))).status).toBe(200)
})
