// OpenAI, and its endpoint in Europe.
import { bearer, type Provider } from '../provider.ts'
import { decodeChatCompletion } from './answer.ts'
import { encodeOpenAiChat } from './encode.ts'
import { readOpenAiRejection } from './rejection.ts'
import { createChunkDecoder } from './stream.ts'

export const openai = {
  id: 'openai',
  label: 'OpenAI',
  endpoints: [
    { id: 'openai', baseUrl: 'https://api.openai.com' },
    { id: 'openai-eu', baseUrl: 'https://eu.api.openai.com', isFixed: true },
  ],
  authorise: bearer,
  verbs: {
    chat: {
      turns: 'messages',
      standardChunks: true,
      hasStop: true,
      encode: encodeOpenAiChat,
      decode: decodeChatCompletion,
      stream: createChunkDecoder,
      rejection: readOpenAiRejection,
    },
  },
} as const satisfies Provider
