// Which format answers on which path, for each provider.

import { ANTHROPIC_PATH, anthropic } from './formats/anthropic.ts'
import { googleTarget } from './formats/google-request.ts'
import { google } from './formats/google.ts'
import { OPENAI_CHAT_PATH, openAi } from './formats/openai.ts'
import { PERPLEXITY_AGENT_PATHS, perplexityAgent } from './formats/perplexity-agent.ts'
import { PERPLEXITY_CHAT_PATH, perplexityChat } from './formats/perplexity-chat.ts'
import type { ProviderId } from './turn.ts'
import type { WireFormat } from './wire-format.ts'

const FORMATS: ReadonlyArray<{ format: WireFormat; answers: (path: string) => boolean }> = [
  { format: openAi, answers: (path) => path === OPENAI_CHAT_PATH },
  { format: anthropic, answers: (path) => path === ANTHROPIC_PATH },
  { format: google, answers: (path) => googleTarget(path) !== null },
  { format: perplexityAgent, answers: (path) => PERPLEXITY_AGENT_PATHS.includes(path) },
  { format: perplexityChat, answers: (path) => path === PERPLEXITY_CHAT_PATH },
]

/** The format that a POST to this path speaks, or null where the provider has nothing. */
export function formatFor(provider: ProviderId, path: string): WireFormat | null {
  const found = FORMATS.find(({ format, answers }) => format.provider === provider && answers(path))
  return found?.format ?? null
}
