// Playground: what a person has typed, and the call that is sent for it.
import { parseNumber } from '../../parts/fields.view.tsx'

export type Role = 'system' | 'user'
/** `id` keeps a message's field when another one is removed. */
export type Message = { id: number; role: Role; text: string }

export type Draft = {
  model: string
  /** '' declares none. */
  useCase: string
  messages: readonly Message[]
  /** Text of a number; '' leaves it out. */
  temperature: string
  maxTokens: string
  isStream: boolean
}

export type CallBody = {
  model: string
  messages: readonly { role: Role; content: string }[]
  temperature?: number
  max_tokens?: number
  stream?: true
  /** The last chunk of a stream then has the tokens. */
  stream_options?: { include_usage: true }
}

/** A call, as it is sent and as the code shows it. */
export type CallRequest = { body: CallBody; useCase: string }

export const USE_CASE_HEADER = 'x-aqta-use-case'
export const APPROVAL_HEADER = 'x-aqta-approval'

export function requestOf({ model, useCase, messages, temperature, maxTokens, isStream }: Draft): CallRequest {
  const [heat, most] = [parseNumber(temperature), parseNumber(maxTokens)]
  return {
    useCase,
    body: {
      model,
      messages: messages
        .filter(({ role, text }) => role === 'user' || text.trim() !== '')
        .map(({ role, text }) => ({ role, content: text })),
      ...(heat !== null && { temperature: heat }),
      ...(most !== null && { max_tokens: most }),
      ...(isStream && { stream: true, stream_options: { include_usage: true } }),
    },
  }
}
