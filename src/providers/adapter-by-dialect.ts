// Maps each dialect, a wire format of providers, to its adapter, and encodes requests. A conversation or parameter that the model
// does not support is refused before any adapter sees it.
import type { Adapter, EncodedRequest } from './adapter.ts'
import { decodeAnthropic } from './anthropic/answer.ts'
import { encodeAnthropic } from './anthropic/encode.ts'
import { readAnthropicRejection } from './anthropic/rejection.ts'
import { createAnthropicDecoder } from './anthropic/stream.ts'
import type { Model } from './model-catalogue.ts'
import type { Dialect } from './provider-registry.ts'
import { conversationFault, unsupportedParameter } from './model-support.policy.ts'
import { decodeGemini } from './google/answer.ts'
import { encodeGemini } from './google/encode.ts'
import { readGeminiRejection } from './google/rejection.ts'
import { createGeminiDecoder } from './google/stream.ts'
import { decodeMistral } from './mistral/answer.ts'
import { encodeMistralChat } from './mistral/encode.ts'
import { readMistralRejection } from './mistral/rejection.ts'
import { createMistralDecoder } from './mistral/stream.ts'
import { decodeChatCompletion } from './openai/answer.ts'
import { encodeOpenAiChat } from './openai/encode.ts'
import { readOpenAiRejection } from './openai/rejection.ts'
import { createChunkDecoder } from './openai/stream.ts'
import { withoutDefaults, writeNames } from './adapt-request.policy.ts'
import { decodePerplexityAgent } from './perplexity/answer.ts'
import { encodePerplexityAgent } from './perplexity/encode.ts'
import { readPerplexityRejection } from './perplexity/rejection.ts'
import { createPerplexityDecoder } from './perplexity/stream.ts'
import type { ChatRequest } from './chat-request.ts'

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` })

export const adapters: Readonly<Record<Dialect, Adapter>> = {
  'openai-chat': {
    standardChunks: true,
    hasStop: true,
    authorise: bearer,
    encode: encodeOpenAiChat,
    decode: decodeChatCompletion,
    createStreamDecoder: createChunkDecoder,
    readRejection: readOpenAiRejection,
  },
  'anthropic-messages': {
    standardChunks: false,
    hasStop: true,
    authorise: (apiKey) => ({ 'x-api-key': apiKey }),
    encode: encodeAnthropic,
    decode: decodeAnthropic,
    createStreamDecoder: createAnthropicDecoder,
    readRejection: readAnthropicRejection,
  },
  'gemini-generate': {
    standardChunks: false,
    hasStop: true,
    authorise: (apiKey) => ({ 'x-goog-api-key': apiKey }),
    encode: encodeGemini,
    decode: decodeGemini,
    createStreamDecoder: createGeminiDecoder,
    readRejection: readGeminiRejection,
  },
  'perplexity-agent': {
    standardChunks: false,
    hasStop: false,
    authorise: bearer,
    encode: encodePerplexityAgent,
    decode: decodePerplexityAgent,
    createStreamDecoder: createPerplexityDecoder,
    readRejection: readPerplexityRejection,
  },
  'mistral-chat': {
    // Their content may be a list with thoughts.
    standardChunks: false,
    hasStop: true,
    authorise: bearer,
    encode: encodeMistralChat,
    decode: decodeMistral,
    createStreamDecoder: createMistralDecoder,
    readRejection: readMistralRejection,
  },
}

/** Returns the HTTP request for a provider, or what the model does not support in the request. Pure: nothing is sent. */
export function encodeRequest(asked: ChatRequest, model: Model): EncodedRequest {
  const request = withoutDefaults(asked, model)
  const refused = conversationFault(request.messages, model) ?? unsupportedParameter(request, model)
  if (refused !== null) return { ok: false, unsupported: refused }
  const messages = model.capabilities.messageNames ? request.messages : writeNames(request.messages)
  return adapters[model.wire.dialect].encode({ ...request, messages }, model)
}
