// Token counts where nobody told us: before a call, to reserve its cost, and after one whose provider sent no usage.
// A rule of thumb, meant to err upwards, and marked as an estimate wherever it is shown.
import type { Usage } from './answer.ts'
import type { Model } from './catalogue.schema.ts'
import type { ChatRequest } from './request.ts'

const BYTES_PER_TOKEN = 3 // English runs near 4 bytes a token; other languages and JSON are denser
const TOKENS_PER_MESSAGE = 4
const TOKENS_PER_IMAGE = 1_600 // about the most a single picture costs at the four providers

const encoder = new TextEncoder()

function textTokens(text: string): number {
  return Math.ceil(encoder.encode(text).length / BYTES_PER_TOKEN)
}

export function estimateInputTokens(request: ChatRequest): number {
  let tokens = textTokens(JSON.stringify([request.tools ?? [], request.responseFormat ?? {}]))
  for (const message of request.messages) {
    tokens += TOKENS_PER_MESSAGE
    for (const part of message.content) tokens += part.type === 'image' ? TOKENS_PER_IMAGE : textTokens(part.text)
    if (message.role === 'assistant') {
      for (const call of message.toolCalls ?? []) tokens += textTokens(call.name + call.arguments)
    }
  }
  return tokens
}

/** What a call used when its provider did not say; `outputBytes` is all it wrote in UTF-8, tool arguments included. */
export function estimateUsage(inputTokens: number, outputBytes: number): Usage {
  return plainUsage(inputTokens, Math.ceil(outputBytes / BYTES_PER_TOKEN))
}

/** The most a call can use: the whole output limit for every choice. */
export function worstCaseUsage(request: ChatRequest, model: Model): Usage {
  const output = outputLimit(request, model) ?? model.limits.maxOutputTokens
  return plainUsage(estimateInputTokens(request), output * (request.n ?? 1))
}

/** The output limit to send: the caller's, capped at what the model can write; else the model's default, if any. */
export function outputLimit(request: ChatRequest, model: Model): number | undefined {
  if (request.maxTokens !== undefined) return Math.min(request.maxTokens, model.limits.maxOutputTokens)
  return model.limits.defaultOutputTokens ?? undefined
}

function plainUsage(input: number, output: number): Usage {
  return { inputUncached: input, cacheRead: 0, cacheWrite: 0, outputVisible: output, reasoning: 0, feesMicrousd: 0 }
}
