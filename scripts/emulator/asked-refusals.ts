// Refusals on demand, as each provider words them: where the member is named, and with which status and code.

import { wirePlace } from './formats/google-rules.ts'
import type { AskedRefusal } from './plan.ts'
import type { ProviderId } from './turn.ts'
import { problem, problemAt } from './wire-format.ts'
import type { WireProblem } from './wire-format.ts'

export function askedRefusal(provider: ProviderId, asked: AskedRefusal): WireProblem {
  switch (asked.kind) {
    case 'member':
      return memberRefused(provider, asked.status, asked.member)
    case 'context':
      return contextExceeded(provider)
    case 'quota':
      return quotaExceeded(provider)
  }
}

function memberRefused(provider: ProviderId, status: number, member: string): WireProblem {
  const rule = 'refused on request'
  switch (provider) {
    case 'openai':
      return problem(status, `'${member}': ${rule}`, { param: member, code: 'invalid_value' })
    case 'anthropic':
      return problemAt(member, rule, { status })
    case 'google':
      return problem(status, `'${wirePlace(member)}': ${rule}`, { param: wirePlace(member), violation: rule })
    case 'perplexity':
      return problem(status, `${member}: ${rule}`)
  }
}

const ASKED = 250_000
const MOST = 200_000

function contextExceeded(provider: ProviderId): WireProblem {
  switch (provider) {
    case 'openai':
      return problem(400, `${ASKED} tokens in the messages, of ${MOST} at most`, {
        param: 'messages',
        code: 'context_length_exceeded',
      })
    case 'anthropic':
      return problem(400, `prompt is too long: ${ASKED} tokens > ${MOST}`)
    case 'google':
      return problem(400, `the input token count (${ASKED}) is above ${MOST}`)
    case 'perplexity':
      return problem(400, `${ASKED} tokens of input, of ${MOST} at most`)
  }
}

/** Three of the four say so with a status that means something else as well. */
function quotaExceeded(provider: ProviderId): WireProblem {
  const message = 'the account has no credit left'
  switch (provider) {
    case 'openai':
      return problem(429, message, { type: 'insufficient_quota', code: 'insufficient_quota' })
    case 'anthropic':
      return problem(400, `credit balance: ${message}`)
    case 'google':
      return problem(429, message, { quotaMetric: 'emulator.invalid/generate_requests' })
    case 'perplexity':
      return problem(401, message, { type: 'insufficient_quota' })
  }
}
