// The hash of an answer is that of the bytes that its caller got, however the provider behaves. An independent recipe makes it
// from these bytes.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startEmulator, type Emulator } from '../../../scripts/emulator/server.ts'
import { answerHash, outlineOf } from '../../../src/evidence/records/answer-outline.ts'
import type { AnsweredCall } from '../../../src/gateway/call/answer-format.ts'
import { createOutputCounter } from '../../../src/gateway/call/bill.ts'
import { copyStream } from '../../../src/gateway/call/streamed-answer.ts'
import { restoringAnswerFormat } from '../../../src/gateway/scan/restoring-answer-format.ts'
import { usageFromTotals } from '../../../src/providers/chat-answer.ts'
import { complete, openStream } from '../../../src/providers/provider-client.ts'
import type { Model } from '../../../src/providers/model-catalogue.ts'
import { joinBytes } from '../../../src/platform/bytes.ts'
import { answerHashOf } from '../../support/independent/answer-recipe.ts'
import { accepted as acceptedChat, look, user } from './operations/chat/reading.ts'
import { accepted as acceptedMessages } from './operations/messages/reading.ts'
import { accepted as acceptedResponse } from './operations/responses/reading.ts'
import { AQTA, ENDED_AT, USAGE } from './stream/writing.ts'
import { EACH_PROVIDER } from '../../fixtures/providers/index.ts'
import { endpointNamed } from '../../../src/providers/provider-registry.ts'

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())
beforeEach(() => emulator.reset())

const SALT = '0f'.repeat(16)
const BEHAVIOURS = [
  'ok',
  'cut',
  'truncate,1',
  'truncate,4',
  'split',
  'crlf',
  'comments',
  'malformed,4',
  'mid-error,4',
  'mid-error,4,content',
  'no-usage',
  'double-usage',
  'no-arguments+tool-call,2',
  'no-call-ids+tool-call,2',
  'partial-args,3+tool-call,2',
  'tool-call',
  'empty-choices',
  'no-role',
  'chars,3000',
  'huge,3000',
  'echo,1',
  'refusal',
  'content-filter',
  'length',
  'finish,UNHEARD_OF',
  'model,another',
  'second-start',
  'two-finishes',
  'thinking,2',
]

/** Escapes, characters of two and four bytes, and a placeholder. */
const PROMPT = 'Say "naïve" —\n😀 to [PERSON_1] and\t\\u00e9 😀😀.'

const functions = [look.function]
const FORMATS = {
  chat: (model: Model) => acceptedChat({ model: model.id, messages: [{ ...user, content: PROMPT }] }),
  'chat with tools and usage': (model: Model) =>
    acceptedChat({
      model: model.id,
      messages: [user],
      ...(model.capabilities.tools && { tools: [look] }),
      stream: true,
      stream_options: { include_usage: true },
    }),
  'chat with functions': (model: Model) =>
    acceptedChat({ model: model.id, messages: [user], ...(model.capabilities.tools && { functions }) }),
  responses: (model: Model) => acceptedResponse({ input: PROMPT }, model.id),
  'responses with tools': (model: Model) =>
    acceptedResponse(model.capabilities.tools ? { tools: [{ type: 'function', ...look.function }] } : {}, model.id),
  messages: (model: Model, isStream: boolean) =>
    acceptedMessages({ messages: [{ role: 'user', content: PROMPT }], stream: isStream }, model.id),
  'messages with tools': (model: Model, isStream: boolean) => {
    const tools = model.capabilities.tools ? { tools: [{ name: look.function.name, input_schema: {} }] } : {}
    return acceptedMessages({ ...tools, stream: isStream }, model.id)
  },
  'restored values': (model: Model) => {
    const read = acceptedChat({ model: model.id, messages: [{ ...user, content: PROMPT }] })
    const format = restoringAnswerFormat(read.format, new Map([['[PERSON_1]', 'Áine "O\n']]), 'plain')
    return { ...read, format }
  },
}

type Read = ReturnType<typeof acceptedChat>
const callOf = ({ outline }: Pick<Read, 'outline'>): AnsweredCall => ({
  traceId: AQTA.trace_id,
  startedAt: 1_790_000_000_500,
  attestation: AQTA.attestation,
  outline,
})

const questionOf = ({ request, format }: Pick<Read, 'request' | 'format'>, model: Model) => ({
  callersFormat: format.passes,
  provider: {
    baseUrl: `${emulator.url}/${model.endpoint}${endpointNamed(model.endpoint).prefix}`,
    apiKey: 'emulator-local',
  },
  model,
  request: { ...request, maxTokens: 4000 },
  signal: new AbortController().signal,
  deadlines: { headersMs: 60_000, silenceMs: 60_000, totalMs: 60_000 },
})

/** Streams an answer as the service does. Returns its bytes and the hash of its outline. */
async function stream(read: Pick<Read, 'request' | 'outline' | 'format'>, model: Model) {
  const opened = await openStream(questionOf(read, model))
  if (!opened.ok) return null
  const writer = read.format.createWriter(callOf(read), opened.isPassed)
  const sent: Uint8Array[] = []
  let isFinished = false
  const whenComplete = () => {
    if (isFinished) return []
    isFinished = true
    return writer.finish({ aqta: AQTA, usage: USAGE, endedAt: ENDED_AT })
  }
  const to = { send: (events: readonly Uint8Array[]) => void sent.push(...events), hasRoom: () => true }
  const soFar = createOutputCounter()
  const failure = await copyStream(opened.batches, {
    writer,
    stream: to,
    soFar,
    keep: () => true,
    noteCost: () => undefined,
    whenComplete,
  })
  sent.push(
    ...(failure === null
      ? [...whenComplete(), ...writer.close()]
      : writer.fail({ error: { code: 'cut', message: 'Cut.' } })),
  )
  await opened.closed
  const outline = writer.outline()
  const raw = joinBytes(
    sent,
    sent.reduce((bytes, { byteLength }) => bytes + byteLength, 0),
  )
  return { raw, hash: outline && answerHash(SALT, outline) }
}

const bill = {
  usage: usageFromTotals({ input: 7, cacheRead: 0, cacheWrite: 0, output: 3, reasoning: 0 }),
  estimated: false,
  costMicroeur: 1,
  finishReason: null,
  servedModel: null,
}

async function whole(read: Pick<Read, 'request' | 'outline' | 'format'>, model: Model) {
  const completion = await complete(questionOf(read, model))
  if (!completion.ok) return null
  const body = read.format.present(callOf(read), completion, { bill, aqta: AQTA, endedAt: ENDED_AT })
  const outline = outlineOf(body)
  return { raw: new TextEncoder().encode(JSON.stringify(body)), hash: outline && answerHash(SALT, outline) }
}

describe.each(EACH_PROVIDER)('an answer of %s', (_, { model }) => {
  it.each(Object.entries(FORMATS))('to %s has the hash of its bytes', async (_name, readAs) => {
    let hashes = 0
    for (const behaviour of BEHAVIOURS) {
      for (const answer of [stream, whole]) {
        emulator.behave(model.endpoint, [behaviour])
        const answered = await answer(readAs(model, answer === stream), model)
        emulator.reset()
        if (answered === null) continue
        expect([behaviour, answered.hash]).toEqual([behaviour, answerHashOf(answered.raw, SALT)])
        if (answered.hash !== null) hashes += 1
      }
    }
    expect(hashes).toBeGreaterThan(BEHAVIOURS.length)
  })
})
