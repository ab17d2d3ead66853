// Tests that the reserve of a call is the most it can cost: for any tokenisation, at the catalogue's prices. The same holds for
// any usage that a provider could report within what it was allowed.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideOutputLimit } from '../../../src/policies/budget.policy.ts'
import { inputTokens, type Usage } from '../../../src/providers/chat-answer.ts'
import type { Prices } from '../../../src/providers/catalogue.schema.ts'
import { catalogueModels, type Model } from '../../../src/providers/model-catalogue.ts'
import { encodeRequest } from '../../../src/providers/model-support.policy.ts'
import { costMicroeur, outputMicroeurPerMillion, parseEurRate } from '../../../src/providers/call-cost.ts'
import {
  estimateInputTokens,
  mostTextTokens,
  mostUsage,
  mostUsageUpFront,
} from '../../../src/providers/estimate-tokens.ts'
import { listCacheMarks, type ChatRequest } from '../../../src/providers/chat-request.ts'
import { byteLength } from '../../../src/providers/lossless-json.ts'
import { modelNamed, pricesOf } from '../../fixtures/providers/models.ts'

const bytes = (text: string): number => new TextEncoder().encode(text).length

/**
 * How tokenizers count at their worst, where no piece that they know is longer than a byte or a character: a byte a token,
 * as byte-level ones fall back to; the same after the compatibility form; a character a token and a mark before the text.
 */
const TOKENIZERS: Record<string, (text: string) => number> = {
  'a byte': bytes,
  'a byte of the composed compatibility form': (text) => bytes(text.normalize('NFKC')),
  'a byte of the composed form': (text) => bytes(text.normalize('NFC')),
  'a character': (text) => Array.from(text).length,
  'four characters, as the emulator counts': (text) => Math.ceil(Array.from(text).length / 4),
}

const base64 = fc.uint8Array({ maxLength: 600 }).map((some) => some.toBase64())
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'binary-ascii', maxLength: 200 }),
  base64,
  fc
    .array(fc.constantFrom('ﷺ', '½', '㌀', 'ﬃ', '漢', '🩺', '👩‍⚕️', 'é', '\u09dc', '𝐀', 'ا', ' ', '\u0000', 'Å'), {
      maxLength: 80,
    })
    .map((some) => some.join('')),
)

describe('no text is more tokens than it is held to be', () => {
  it.each(Object.entries(TOKENIZERS))('where a token is %s', (_, count) => {
    fc.assert(fc.property(text, (some) => count(some) <= mostTextTokens(some)))
  })

  it.each([
    ['base64', 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ'.repeat(100)],
    ['Chinese', '患者主诉胸痛三天'.repeat(100)],
    ['emoji', '🩺'.repeat(500)],
    ['ligatures that others write out', 'ﷺ'.repeat(500)],
  ])('and %s is held to be more than a third of its bytes', (_, some) => {
    expect(mostTextTokens(some)).toBeGreaterThanOrEqual(bytes(some))
  })

  it('where one form takes letters apart and the other shortens what stands beside them', () => {
    const some = '\u09dc𝐀'
    expect(bytes(some.normalize('NFC'))).toBeGreaterThan(Math.max(bytes(some), bytes(some.normalize('NFKC'))))
    expect(mostTextTokens(some)).toBe(bytes(some.normalize('NFC')))
  })
})

const requests: fc.Arbitrary<ChatRequest> = fc.record(
  {
    messages: fc.array(
      fc.oneof(
        fc.record({
          role: fc.constantFrom('system' as const, 'user' as const),
          content: fc.array(
            text.map((some) => ({ type: 'text' as const, text: some })),
            { maxLength: 3 },
          ),
        }),
        fc.record({
          role: fc.constant('user' as const),
          content: fc.array(fc.constant({ type: 'image' as const, url: 'https://example.org/a.png' }), {
            maxLength: 3,
          }),
        }),
        fc.record({ role: fc.constant('tool' as const), toolCallId: text, content: fc.constant([]) }),
      ),
      { minLength: 1, maxLength: 6 },
    ),
    tools: fc.array(
      fc.record({
        name: fc.constant('look'),
        description: text,
        cache: fc.option(fc.constant({ ttl: '1h' as const }), { nil: undefined }),
      }),
      { maxLength: 3 },
    ),
    maxTokens: fc.integer({ min: 1, max: 200_000 }),
    n: fc.integer({ min: 1, max: 8 }),
  },
  { requiredKeys: ['messages'] },
)

/** Each model at each of its prices. */
const PRICED = catalogueModels().flatMap((model) => model.prices.map((prices) => ({ model, prices })))
const pricedModels = fc.constantFrom(...PRICED)
const rates = fc.integer({ min: 1, max: 2_000_000 }).map((millionths) => {
  const rate = parseEurRate((millionths / 1e6).toFixed(6))
  if (rate === null) throw new Error('not a rate')
  return rate
})

/** Any way in which a provider can count at most so much input and output, and charge at most these fees. */
const usageWithin = (most: Usage, keptForHour: boolean) =>
  fc
    .tuple(
      fc.nat(inputTokens(most)),
      fc.nat(100),
      fc.nat(100),
      fc.nat(most.outputVisible + most.reasoning),
      fc.nat(100),
      fc.nat(most.feesMicrousd),
    )
    .map(([input, readShare, writeShare, output, thoughtShare, fees]): Usage => {
      const read = Math.floor((input * readShare) / 100)
      const written = Math.floor(((input - read) * writeShare) / 100)
      const thoughts = Math.floor((output * thoughtShare) / 100)
      return {
        inputUncached: input - read - written,
        cacheRead: read,
        cacheWrite: keptForHour ? 0 : written,
        cacheWriteHour: keptForHour ? written : 0,
        outputVisible: output - thoughts,
        reasoning: thoughts,
        feesMicrousd: fees,
      }
    })

const pricedModel = (id: string) => ({ model: modelNamed(id), prices: pricesOf(id) })
const upFrontOf = (request: ChatRequest, id: string): Usage => mostUsageUpFront(request, modelNamed(id), pricesOf(id))

/** As the organisation's object reserves it. */
function reserve(
  request: ChatRequest,
  { model, prices }: { model: Model; prices: Prices },
  rate: Parameters<typeof costMicroeur>[2],
  defaultMaxTokens: number,
) {
  const upFront = mostUsageUpFront(request, model, prices)
  const output = {
    tokens: request.maxTokens ?? null,
    most: model.limits.maxOutputTokens,
    choices: request.n ?? 1,
    microeurPerMillion: outputMicroeurPerMillion(upFront, prices, rate),
  }
  const { maxTokens, microeur } = decideOutputLimit(output, defaultMaxTokens)
  return { maxTokens, microeur: costMicroeur(upFront, prices, rate) + microeur }
}

describe('no call costs more than was reserved for it', () => {
  it('whatever is asked of whichever model, and however its provider counts', () => {
    const cases = fc
      .tuple(requests, pricedModels, rates, fc.integer({ min: 1, max: 200_000 }))
      .chain(([request, priced, rate, byDefault]) => {
        const { model, prices } = priced
        const { maxTokens, microeur } = reserve(request, priced, rate, byDefault)
        const keptForHour = listCacheMarks(request).length > 0
        const used = usageWithin(mostUsage({ ...request, maxTokens }, model, prices), keptForHour)
        return used.map((usage) => ({ usage, prices, rate, microeur }))
      })
    fc.assert(
      fc.property(cases, ({ usage, prices, rate, microeur }) => costMicroeur(usage, prices, rate) <= microeur),
      { numRuns: 1000 },
    )
  })

  it('counts what Claude’s schemas grow by where references are written out', () => {
    const model = modelNamed('claude-haiku-4-5')
    const member = { $ref: '#/$defs/d', title: 't' }
    const d = {
      type: 'object',
      properties: Object.fromEntries([...Array(20).keys()].map((at) => [`m${at}`, { type: 'string' }])),
    }
    const schema = {
      type: 'object',
      properties: Object.fromEntries([...Array(20).keys()].map((at) => [`p${at}`, member])),
      $defs: { d },
    }
    const request: ChatRequest = {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }],
      responseFormat: { type: 'json_schema', name: 'n', schema },
    }
    const sent = encodeRequest(request, model)
    const sentBytes = sent.ok ? JSON.stringify(sent.body).length : 0
    expect(sentBytes).toBeGreaterThan(3 * JSON.stringify(schema).length)
    expect(inputTokens(mostUsageUpFront(request, model, pricesOf(model.id)))).toBeGreaterThan(sentBytes)
    expect(estimateInputTokens(request, model)).toBeGreaterThan(sentBytes / 6)
  })

  it('and the guess at its input is no more than that either, once it is bounded by it', () => {
    const plain = PRICED.filter(({ model }) => model.search === null)
    fc.assert(
      fc.property(requests, fc.constantFrom(...plain), (request, { model, prices }) => {
        const most = inputTokens(mostUsageUpFront(request, model, prices))
        return Math.min(estimateInputTokens(request, model), model.limits.contextTokens) <= most
      }),
    )
  })

  it.each(PRICED.map(({ model, prices }) => [model.id, prices.readOn, prices] as const))(
    'at %s, whose prices, read on %s, rise with the length of the input and never fall',
    (_id, _readOn, { usdPerMillion: normal, longContext }) => {
      expect(normal.cachedInput).toBeLessThanOrEqual(Math.max(normal.input, normal.cacheWrite))
      const long = longContext?.usdPerMillion ?? normal
      for (const kind of ['input', 'cachedInput', 'cacheWrite', 'cacheWriteHour', 'output'] as const) {
        expect(long[kind]).toBeGreaterThanOrEqual(normal[kind])
      }
    },
  )

  it('at a model that looks things up: its fees and what it finds are in it', () => {
    const request = { messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }] }
    const { search } = modelNamed('sonar-pro')
    if (search === null) throw new Error('it looks nothing up')
    const most = upFrontOf(request, 'sonar-pro')
    expect(most.feesMicrousd).toBe(search.feesUsd)
    expect(most.feesMicrousd).toBeGreaterThan(0)
    expect(most.inputUncached).toBeGreaterThan(search.inputTokens)
  })

  it('at a model that reads files: a PDF may hold more text than it has bytes, a text is what it is', () => {
    const { limits } = modelNamed('claude-opus-5')
    const most = (url: string) => {
      const request = { messages: [{ role: 'user' as const, content: [{ type: 'file' as const, url }] }] }
      return inputTokens(upFrontOf(request, 'claude-opus-5'))
    }
    expect(most('data:application/pdf;base64,aGk=')).toBe(limits.contextTokens)
    expect(most('https://a.test/b.pdf')).toBe(limits.contextTokens)
    expect(most('data:text/plain;base64,aGk=')).toBeLessThan(500)
    expect(most(`data:text/plain;base64,${'77e6'.repeat(100)}`)).toBeGreaterThan(3_000) // ligatures, written out
  })

  it('at a model that gets its thoughts back, which are sealed', () => {
    const signature = 'c2ln'.repeat(1000)
    const thinking = [{ type: 'thinking' as const, thinking: '', signature }]
    const toolCalls = [{ id: 'a', name: 'look', arguments: '{}', signature }]
    for (const thought of [{ thinking }, { signature }, { toolCalls }]) {
      const request = { messages: [{ role: 'assistant' as const, content: [], ...thought }] }
      expect(inputTokens(upFrontOf(request, 'claude-opus-5'))).toBeGreaterThan(3 * signature.length)
    }
  })

  it('at Anthropic, where tools that were called are declared anew', () => {
    const upFront = (name: string) => {
      const toolCalls = [{ id: 'a', name, arguments: '{}' }]
      return inputTokens(upFrontOf({ messages: [{ role: 'assistant', content: [], toolCalls }] }, 'claude-opus-5'))
    }
    expect(upFront('a'.repeat(1000)) - upFront('a')).toBeGreaterThanOrEqual(2 * 999)
    expect(upFront('a')).toBeGreaterThan(1000)
  })

  it('at Perplexity, which gets the signature of a call twice', () => {
    const most = (signature: string) =>
      inputTokens(
        mostUsageUpFront(
          {
            messages: [
              { role: 'assistant', content: [], toolCalls: [{ id: 'a', name: 'look', arguments: '{}', signature }] },
            ],
          },
          { ...modelNamed('sonar'), search: null },
          pricesOf('sonar'),
        ),
      )
    expect(most('c2ln'.repeat(1000)) - most('')).toBeGreaterThanOrEqual(2 * 4000)
  })

  it.each(['claude-opus-5', 'gemini-3.8-flash'])(
    'at %s, which writes something around each call and each file',
    (id) => {
      const [call, file] = [
        { id: 'a', name: 'b', arguments: '{}' },
        { type: 'file' as const, url: 'data:text/plain;base64,' },
      ]
      const most = (count: number) => {
        const request: ChatRequest = {
          messages: [
            { role: 'assistant', content: [], toolCalls: Array.from({ length: count }, () => call) },
            { role: 'user', content: Array.from({ length: count }, () => file) },
          ],
        }
        return inputTokens(upFrontOf(request, id))
      }
      expect(most(100)).toBeGreaterThan(most(0) + 100 * (100 + 100))
    },
  )

  it.each([':', '\uffff'])('at Anthropic, whose ids of calls say %j by its number', (character) => {
    const id = character.repeat(256)
    const most = (ids: string[]) => {
      const request: ChatRequest = {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Look' }] },
          { role: 'assistant', content: [], toolCalls: ids.map((one) => ({ id: one, name: 'look', arguments: '{}' })) },
          ...ids.map((one) => ({ role: 'tool' as const, toolCallId: one, content: [] })),
        ],
      }
      const encoded = encodeRequest(request, modelNamed('claude-opus-5'))
      if (!encoded.ok) throw new Error('refused')
      const sent = (JSON.stringify(encoded.body).match(/_\d+_/g) ?? []).join('')
      return { held: inputTokens(upFrontOf(request, 'claude-opus-5')), sent: sent.length }
    }
    const { held, sent } = most([id, `${id.slice(1)}a`])
    expect(sent).toBeGreaterThan(4_000)
    expect(held).toBeGreaterThan(sent)
  })

  it('at Google, where what a tool answers is JSON that may be written anew', () => {
    const content = [{ type: 'text' as const, text: '{"a":"\\n"}'.repeat(1_000) }]
    const request: ChatRequest = { messages: [{ role: 'tool', toolCallId: 'a', content }] }
    const indented = JSON.stringify({ result: content[0]?.text }, null, 2)
    expect(inputTokens(upFrontOf(request, 'gemini-3.8-flash'))).toBeGreaterThan(indented.length)
  })

  it('is not held for all that a model could write where nobody asks for it', () => {
    const rate = parseEurRate('1')
    if (rate === null) throw new Error('not a rate')
    const request = { messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }] }
    const opus = pricedModel('claude-opus-5')
    expect(reserve(request, opus, rate, 16_384)).toMatchObject({ maxTokens: 16_384 })
    expect(reserve(request, opus, rate, 16_384).microeur).toBeLessThan(450_000)
    expect(reserve({ ...request, maxTokens: 30_000 }, opus, rate, 16_384).maxTokens).toBe(30_000)
    expect(reserve({ ...request, maxTokens: 900_000 }, opus, rate, 16_384).maxTokens).toBe(128_000)
    expect(reserve(request, pricedModel('sonar'), rate, 16_384).maxTokens).toBe(8192)
  })
})

it.each([{ tokens: -1 }, { tokens: 0.5 }, { most: Number.NaN }, { choices: -1 }, { microeurPerMillion: 1.5 }])(
  'no output is allowed for %o',
  (wrong) => {
    const asked = { tokens: 5, most: 10, choices: 1, microeurPerMillion: 1, ...wrong }
    expect(() => decideOutputLimit(asked, 16_384)).toThrow(RangeError)
  },
)

it('counts the bytes that are sent of a text, half a surrogate pair’s replacement included', () => {
  const unit = fc.oneof(
    fc.integer({ min: 0, max: 0xffff }),
    fc.integer({ min: 0xd7ff, max: 0xe000 }),
    fc.constant(0x61),
  )
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
      const written = String.fromCharCode(...units)
      expect(byteLength(written)).toBe(bytes(written))
    }),
  )
})
