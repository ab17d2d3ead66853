// Google’s Gemini API.
import type { Provider } from '../provider.ts'
import { decodeGemini } from './answer.ts'
import { encodeGemini } from './encode.ts'
import { readGeminiRejection } from './rejection.ts'
import { createGeminiDecoder } from './stream.ts'

export const google = {
  id: 'google',
  label: 'Google',
  endpoints: [{ id: 'google', baseUrl: 'https://generativelanguage.googleapis.com' }],
  authorise: (apiKey) => ({ 'x-goog-api-key': apiKey }),
  verbs: {
    chat: {
      turns: 'contents',
      standardChunks: false,
      hasStop: true,
      sends: { resultsAsJson: true },
      encode: encodeGemini,
      decode: decodeGemini,
      stream: createGeminiDecoder,
      rejection: readGeminiRejection,
    },
  },
} as const satisfies Provider
