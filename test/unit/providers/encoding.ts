// A request as it goes over the wire, and the member for which one is refused.
import { encodeRequest } from '../../../src/providers/model-support.policy.ts'
import type { Model } from '../../../src/providers/model-catalogue.ts'
import { textMessage, type ChatRequest, type Message } from '../../../src/providers/chat-request.ts'
import { modelNamed } from '../../fixtures/providers/models.ts'

const ask: ChatRequest = { messages: [textMessage('user', 'Hello')] }

/** Members without a value are gone, as they are over the wire. */
export function encode(request: Partial<ChatRequest>, model: Model | string) {
  const encoded = encodeRequest({ ...ask, ...request }, toModel(model))
  if (!encoded.ok) throw new Error(`refused: ${encoded.unsupported.param}`)
  const body: unknown = JSON.parse(JSON.stringify(encoded.body))
  return { ...encoded, body }
}

export function refusal(
  request: Partial<ChatRequest>,
  model: Model | string,
): { param: string; message: string } | null {
  const encoded = encodeRequest({ ...ask, ...request }, toModel(model))
  return encoded.ok ? null : encoded.unsupported
}

const toModel = (model: Model | string): Model => (typeof model === 'string' ? modelNamed(model) : model)

export const refusedParam = (request: Partial<ChatRequest>, model: Model | string): string | null =>
  refusal(request, model)?.param ?? null

/** A loop: the question, the call, and what the tool said. */
export function loop(assistant: Partial<Extract<Message, { role: 'assistant' }>>, result: Message['content'] = []) {
  const toolCalls = [{ id: 'a', name: 'look', arguments: '{}' }]
  const messages: Message[] = [
    textMessage('user', 'Look'),
    { role: 'assistant', content: [], toolCalls, ...assistant },
    { role: 'tool', toolCallId: 'a', content: result },
  ]
  return { messages, tools: [{ name: 'look' }] }
}

export const textOf = (text: string) => ({ type: 'text' as const, text })
export const pngOf = (data = 'aGk=') => ({ type: 'image' as const, url: `data:image/png;base64,${data}` })
export const pdf = { type: 'file' as const, url: 'data:application/pdf;base64,aGk=', name: 'letter.pdf' }
