// Maps each dialect to its adapter, and encodes requests. A conversation or parameter that the model does not support is refused
// before any adapter sees it.
import type { Adapter, Encoded } from './adapter.ts'
import { decodeAnthropic } from './anthropic/answer.ts'
import { encodeAnthropic } from './anthropic/encode.ts'
import { readAnthropicRefusal } from './anthropic/refusal.ts'
import { createAnthropicDecoder } from './anthropic/stream.ts'
import type { Dialect, Model } from './catalogue.ts'
import { conversationFault, unsupportedParameter } from './support.policy.ts'
import { decodeGemini } from './google/answer.ts'
import { encodeGemini } from './google/encode.ts'
import { readGeminiRefusal } from './google/refusal.ts'
import { createGeminiDecoder } from './google/stream.ts'
import { decodeChatCompletion } from './openai/answer.ts'
import { encodeOpenAiChat } from './openai/encode.ts'
import { readOpenAiRefusal } from './openai/refusal.ts'
import { createChunkDecoder } from './openai/stream.ts'
import { withoutNeutral, writeNames } from './default-members.policy.ts'
import { decodePerplexityAgent } from './perplexity/answer.ts'
import { encodePerplexityAgent, encodePerplexityChat } from './perplexity/encode.ts'
import { readPerplexityRefusal } from './perplexity/refusal.ts'
import { createPerplexityDecoder } from './perplexity/stream.ts'
import type { ChatRequest } from './request.ts'

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` })

export const adapters: Readonly<Record<Dialect, Adapter>> = {
  'openai-chat': {
    standardChunks: true,
    authorise: bearer,
    encode: encodeOpenAiChat,
    decode: (body) => decodeChatCompletion(body, { lenient: false }),
    createStreamDecoder: () => createChunkDecoder({ lenient: false }),
    readRefusal: readOpenAiRefusal,
  },
  'anthropic-messages': {
    standardChunks: false,
    authorise: (apiKey) => ({ 'x-api-key': apiKey }),
    encode: encodeAnthropic,
    decode: decodeAnthropic,
    createStreamDecoder: createAnthropicDecoder,
    readRefusal: readAnthropicRefusal,
  },
  'gemini-generate': {
    standardChunks: false,
    authorise: (apiKey) => ({ 'x-goog-api-key': apiKey }),
    encode: encodeGemini,
    decode: decodeGemini,
    createStreamDecoder: createGeminiDecoder,
    readRefusal: readGeminiRefusal,
  },
  'perplexity-agent': {
    standardChunks: false,
    authorise: bearer,
    encode: encodePerplexityAgent,
    decode: decodePerplexityAgent,
    createStreamDecoder: createPerplexityDecoder,
    readRefusal: readPerplexityRefusal,
  },
  'perplexity-chat': {
    standardChunks: false, // its finish reasons, and the usage on every chunk, differ from the standard's
    authorise: bearer,
    encode: encodePerplexityChat,
    decode: (body) => decodeChatCompletion(body, { lenient: true }),
    createStreamDecoder: () => createChunkDecoder({ lenient: true }),
    readRefusal: readPerplexityRefusal,
  },
}

/** Returns the HTTP request for a provider, or the unsupported parameter. Pure: nothing is sent. */
export function encodeRequest(asked: ChatRequest, model: Model): Encoded {
  const request = withoutNeutral(asked, model)
  const refused = conversationFault(request.messages, model) ?? unsupportedParameter(request, model)
  if (refused !== null) return { ok: false, unsupported: refused }
  const messages = model.capabilities.messageNames ? request.messages : writeNames(request.messages)
  return adapters[model.wire.dialect].encode({ ...request, messages }, model)
}
