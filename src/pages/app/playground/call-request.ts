// Playground: what a person has typed, and the call that is sent for it.
import SCHEMA from 'virtual:form-schema/chat'
import { bodyOf } from '../../parts/form-values.ts'

export type Role = 'system' | 'user'
/** `id` keeps a message's field when another one is removed. */
export type Message = { id: number; role: Role; text: string }

export type Draft = {
  model: string
  /** '' declares none. */
  useCase: string
  messages: readonly Message[]
  /** What is typed for each; '' leaves it out. */
  parameters: Readonly<Record<keyof typeof WORDS, string>>
}

const WORDS = {
  temperature: { label: 'Temperature', hint: 'Empty: the model’s own.' },
  max_tokens: { label: 'Max output tokens', hint: 'Empty: as in Settings.' },
  stream: { label: 'Stream the answer' },
}

export const PARAMETERS = { schema: SCHEMA, words: WORDS }

export type CallBody = {
  model: string
  messages: readonly { role: Role; content: string }[]
  temperature?: unknown
  max_tokens?: unknown
  stream?: true
  /** The last chunk of a stream then has the tokens. */
  stream_options?: { include_usage: true }
}

/** A call, as it is sent and as the code shows it. */
export type CallRequest = { body: CallBody; useCase: string }

export const USE_CASE_HEADER = 'x-aqta-use-case'
export const APPROVAL_HEADER = 'x-aqta-approval'

export function requestOf({ model, useCase, messages, parameters }: Draft): CallRequest {
  const { stream, ...numbers } = bodyOf(PARAMETERS, parameters)
  return {
    useCase,
    body: {
      model,
      messages: messages
        .filter(({ role, text }) => role === 'user' || text.trim() !== '')
        .map(({ role, text }) => ({ role, content: text })),
      ...numbers,
      ...(stream === true && { stream: true, stream_options: { include_usage: true } }),
    },
  }
}
