// parallel_tool_calls: false, where the provider cannot be told so.
import { describe, expect, it } from 'vitest'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import { complete, openStream, type Call } from '../../../src/providers/provider-client.ts'
import { systemRuntime } from '../../../src/providers/http-exchange.ts'
import { textMessage } from '../../../src/providers/chat-request.ts'
import { modelNamed } from '../../fixtures/providers/models.ts'

const call = (name: string) => ({ functionCall: { id: name, name, args: { at: name } } })
const answer = {
  responseId: 'r',
  modelVersion: 'm',
  candidates: [
    {
      content: {
        parts: [{ text: 'Let me look' }, { ...call('look'), thoughtSignature: 'c2ln' }, call('listen'), call('feel')],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 9 },
}

function asked(response: Response, parallelToolCalls: boolean | undefined, model = 'gemini-3.8-flash'): Call {
  const tools = ['look', 'listen', 'feel'].map((name) => ({ name }))
  return {
    provider: { baseUrl: 'https://provider.test', apiKey: 'k' },
    model: modelNamed(model),
    request: { messages: [textMessage('user', 'Hello')], tools, parallelToolCalls },
    signal: new AbortController().signal,
    deadlines: { headersMs: 5_000, silenceMs: 5_000, totalMs: 10_000 },
    runtime: { ...systemRuntime, fetch: () => Promise.resolve(response) },
  }
}

async function whole(parallelToolCalls: boolean | undefined) {
  const completion = await complete(asked(Response.json(answer), parallelToolCalls))
  if (!completion.ok) throw new Error(completion.failure.kind)
  return completion.answer
}

async function streamed(parallelToolCalls: boolean | undefined) {
  const { parts } = answer.candidates[0]?.content ?? { parts: [] }
  const chunks = parts.map((part) => ({ responseId: 'r', candidates: [{ content: { parts: [part] } }] }))
  const { usageMetadata } = answer
  const events = [...chunks, { responseId: 'r', candidates: [{ finishReason: 'STOP' }], usageMetadata }]
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const stream = await openStream(asked(response, parallelToolCalls))
  if (!stream.ok) throw new Error(stream.failure.kind)
  const items = []
  for await (const batch of stream.batches) items.push(...batch)
  return assembleAnswer(items.flatMap((item) => item.events))
}

describe.each([
  ['whole', whole],
  ['streamed', streamed],
])('an answer of several calls, %s', (_, ask) => {
  it('is cut to the first, which carries the thought, where the caller wants one at a time', async () => {
    const { choices, usage } = await ask(false)
    expect(choices).toEqual([
      {
        index: 0,
        text: 'Let me look',
        refusal: null,
        toolCalls: [{ id: 'look', name: 'look', arguments: '{"at":"look"}', signature: 'c2ln' }],
        finishReason: 'tool_calls',
      },
    ])
    expect(usage).toMatchObject({ inputUncached: 7, outputVisible: 9 })
  })

  it.each([true, undefined])('is whole where the caller says %s', async (parallelToolCalls) => {
    const { choices } = await ask(parallelToolCalls)
    expect(choices[0]?.toolCalls.map(({ name }) => name)).toEqual(['look', 'listen', 'feel'])
  })
})
