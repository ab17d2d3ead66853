// The model names each emulated provider knows, and what the newer ones refuse. Another name is that provider's
// "no such model", unless the emulator was started with it.

import type { ProviderId } from './turn.ts'

export const MODELS: Record<ProviderId, readonly string[]> = {
  openai: ['gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.6-luna', 'gpt-4.1-mini'],
  anthropic: ['claude-opus-5', 'claude-sonnet-5', 'claude-haiku-4-5'],
  google: ['gemini-3.7-flash', 'gemini-3.6-flash', 'gemini-3.5-flash-lite', 'gemini-2.5-flash'],
  perplexity: ['perplexity/sonar', 'sonar', 'sonar-pro'],
}

/** OpenAI's reasoning models take fewer parameters. */
export function isReasoningModel(model: string): boolean {
  return /^(?:gpt-5|o\d)/.test(model)
}

/** OpenAI's models that call functions in chat completions only with reasoning off. */
export function callsOnlyWithoutReasoning(model: string): boolean {
  return model.startsWith('gpt-5.6')
}

/** OpenAI's chat models that search the web, and take options for it. */
export function isSearchModel(model: string): boolean {
  return /-search-/.test(model)
}

/** Claude 5 models take no sampling parameters and no prefilled assistant turn. */
export function isClaudeFive(model: string): boolean {
  return /^claude-(?:opus|sonnet|haiku)-5/.test(model)
}

/** The least thinking that Gemini 3.7 does is low; the others of its kind can think less. */
export function takesMinimalThinking(model: string): boolean {
  return isGeminiThree(model) && !model.startsWith('gemini-3.7')
}

/** Claude's least prompt that is cached, in tokens. */
export function leastCachedTokens(model: string): number {
  if (model.startsWith('claude-opus-5')) return 512
  return isClaudeFive(model) ? 1024 : 4096
}

/** OpenAI's newer models count, and charge, what they write to the cache. */
export function countsCacheWrites(model: string): boolean {
  return model.startsWith('gpt-5.6')
}

/** Gemini 3 models give one candidate and want their thought signatures back. */
export function isGeminiThree(model: string): boolean {
  return model.startsWith('gemini-3')
}
