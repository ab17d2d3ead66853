// Anthropic’s own endpoint. Amazon Bedrock answers in the same format.
import type { Provider } from '../provider.ts'
import { decodeAnthropic } from './answer.ts'
import { encodeAnthropic } from './encode.ts'
import { readAnthropicRejection } from './rejection.ts'
import { createAnthropicDecoder } from './stream.ts'

export const anthropic = {
  id: 'anthropic',
  label: 'Anthropic',
  endpoints: [{ id: 'anthropic', baseUrl: 'https://api.anthropic.com' }],
  authorise: (apiKey) => ({ 'x-api-key': apiKey }),
  verbs: {
    chat: {
      turns: 'messages',
      standardChunks: false,
      takesNative: 'whole',
      hasStop: true,
      sends: { schemasWrittenOut: true },
      encode: encodeAnthropic,
      decode: decodeAnthropic,
      stream: createAnthropicDecoder,
      rejection: readAnthropicRejection,
    },
  },
} as const satisfies Provider
