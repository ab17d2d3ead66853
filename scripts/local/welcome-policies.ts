// The part of the welcome that shows what an organisation's policy does: one line to paste for each, in the order in which they
// work. They come after the sign-in of the owner.
import { change, type Place } from './welcome-people.ts'

/** Asks for a chat completion: the body, and headers beside the usual ones. */
export type ChatLine = (body: object, headers?: Record<string, string>) => string

const POLICY = {
  use_case_guard: { allow: ['triage-notes', 'discharge-letters'] },
}

export function policyLines(place: Place, chat: ChatLine): string {
  return `Give the organisation a policy: what its calls must keep to. docs/policies.md tells the rules.

${change(place, 'PUT', '/api/policies', POLICY)}

A use case that the policy does not name is refused, and no provider sees the request.

${chat({ model: 'gpt-4.1-mini' }, { 'x-aqta-use-case': 'marketing' })}`
}
