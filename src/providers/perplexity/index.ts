// Perplexity’s Agent API, which searches by itself.
import { bearer, type Provider } from '../provider.ts'
import { decodePerplexityAgent } from './answer.ts'
import { encodePerplexityAgent } from './encode.ts'
import { readPerplexityRejection } from './rejection.ts'
import { createPerplexityDecoder } from './stream.ts'

export const perplexity = {
  id: 'perplexity',
  label: 'Perplexity',
  endpoints: [{ id: 'perplexity', baseUrl: 'https://api.perplexity.ai' }],
  authorise: bearer,
  verbs: {
    chat: {
      standardChunks: false,
      hasStop: false,
      sends: { signaturesTwice: true },
      encode: encodePerplexityAgent,
      decode: decodePerplexityAgent,
      stream: createPerplexityDecoder,
      rejection: readPerplexityRejection,
    },
  },
} as const satisfies Provider
