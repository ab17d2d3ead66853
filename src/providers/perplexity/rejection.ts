// Reads why Perplexity rejected a request. Its errors have OpenAI's envelope, and name members of its own Agent API.
import { readStandardRejection } from '../openai/rejection.ts'
import type { Path } from '../rejection.ts'

/** The gateway's member by Perplexity's member. Messages get no index, because input items and messages are not one to one. */
const PATH_BY_MEMBER = new Map<unknown, Path>([
  ['input', ['messages']],
  ['messages', ['messages']],
  ['instructions', ['messages']],
  ['max_output_tokens', ['max_completion_tokens']],
  ['max_tokens', ['max_completion_tokens']],
  ['reasoning', ['reasoning_effort']],
  ['text', ['response_format']],
])

const TOOL_MEMBERS = new Set<unknown>(['name', 'description', 'parameters', 'strict'])

export const readPerplexityRejection = readStandardRejection((path) => {
  const [first, second, third] = path
  if (first === 'tools' && typeof second === 'number') {
    return typeof third === 'string' && TOOL_MEMBERS.has(third)
      ? ['tools', second, 'function', third]
      : ['tools', second]
  }
  return PATH_BY_MEMBER.get(first) ?? path
})
