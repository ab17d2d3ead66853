// Feeds a provider's bytes through its decoder into a writer, as copyStream does, and reads what comes out.
import type { Aqta } from '../../../../src/gateway/call/trace.ts'
import type { EventWriter } from '../../../../src/gateway/stream/event-writer.ts'
import { openStream } from '../../../../src/providers/provider-client.ts'
import type { StreamItem } from '../../../../src/providers/sse.ts'
import type { Model } from '../../../../src/providers/model-catalogue.ts'
import { systemRuntime } from '../../../../src/providers/http-exchange.ts'
import { textMessage } from '../../../../src/providers/chat-request.ts'
import { INVENTED_RECORD } from '../../../fixtures/attestation/invented-record.ts'

/** Unix milliseconds. */
export const ENDED_AT = 1_790_000_001_900

export const AQTA: Aqta = {
  trace_id: INVENTED_RECORD.trace_id,
  cost_eur: 0.000123,
  provider: 'openai',
  route: 'openai',
  status: 'passed',
  cached: false,
  loop_detected: false,
  attestation: INVENTED_RECORD,
}

export const USAGE = {
  prompt_tokens: 7,
  completion_tokens: 3,
  total_tokens: 10,
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
}

/** The items a provider's stream is read as. */
export async function itemsOf(model: Model, body: string | Uint8Array<ArrayBuffer>): Promise<StreamItem[]> {
  const opened = await openStream({
    provider: { baseUrl: 'https://provider.test', apiKey: 'k' },
    model,
    request: { messages: [textMessage('user', 'Hello')] },
    signal: new AbortController().signal,
    deadlines: { headersMs: 60_000, silenceMs: 60_000, totalMs: 60_000 },
    runtime: {
      ...systemRuntime,
      fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    },
  })
  if (!opened.ok) throw new Error('not opened')
  return (await Array.fromAsync(opened.batches)).flat()
}

const textOf = (events: readonly Uint8Array[]): string[] => events.map((event) => new TextDecoder().decode(event))

/** Every event sent before the end, each complete in itself. */
export const push = (writer: EventWriter, items: readonly StreamItem[]): string[] =>
  items.flatMap((item) => textOf(writer.push(item)))

/** How a whole answer ends. */
export const finish = (writer: EventWriter, aqta = AQTA): string[] =>
  textOf([...writer.finish({ aqta, usage: USAGE, endedAt: ENDED_AT }), ...writer.close()])

export const fail = (writer: EventWriter): string[] => textOf(writer.fail({ error: { code: 'provider_error' } }))

export type AnyChunk = {
  id: string
  created: number
  model: string
  choices: {
    index: number
    delta: { role?: string; content?: string; tool_calls?: object[] }
    finish_reason: string | null
  }[]
  usage?: object | null
  aqta?: object
  citations?: string[]
}

export const chunkOf = (event: string | undefined): AnyChunk =>
  JSON.parse((event ?? '').replace(/^data: /, '')) as AnyChunk
