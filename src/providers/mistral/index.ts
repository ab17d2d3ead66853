// Mistral’s endpoint in Europe.
import { bearer, type Provider } from '../provider.ts'
import { createMistralDecoder, decodeMistral } from './decode.ts'
import { encodeMistralChat } from './encode.ts'
import { readMistralRejection } from './rejection.ts'

export const mistral = {
  id: 'mistral',
  label: 'Mistral',
  endpoints: [{ id: 'mistral-eu', baseUrl: 'https://api.eu.mistral.ai', isFixed: true }],
  authorise: bearer,
  verbs: {
    chat: {
      // Their content may be a list with thoughts.
      turns: 'messages',
      standardChunks: false,
      hasStop: true,
      encode: encodeMistralChat,
      decode: decodeMistral,
      stream: createMistralDecoder,
      rejection: readMistralRejection,
    },
  },
} as const satisfies Provider
