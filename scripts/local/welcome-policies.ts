// The part of the welcome that shows what an organisation's policy and settings do: one line to paste for each, in the order in which
// they work. They come after the sign-in of the owner.
import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { change, quoted, type Place } from './welcome-people.ts'

/** Asks for a chat completion: the body, and headers beside the usual ones. */
export type ChatLine = (body: object, headers?: Record<string, string>) => string

type Shown = { place: Place; chat: ChatLine; emulatorUrl: string | null }

const MODEL = 'gpt-4.1-mini'

const POLICY = {
  use_case_guard: { allow: ['triage-notes', 'discharge-letters'] },
  human_approval: { when: [{ use_cases: ['discharge-letters'] }] },
  cache: { ttl_seconds: 600 },
  pii_scan: { default: 'report', shapes: { phone_number: 'redact' } },
}

export function policyLines(shown: Shown): string {
  return [
    `Give the organisation a policy: what its calls must keep to. docs/policies.md tells the rules.

${change(shown.place, 'PUT', '/api/policies', POLICY)}`,
    `A use case that the policy does not name is refused, and no provider sees the request.

${shown.chat({ model: MODEL }, { 'x-aqta-use-case': 'marketing' })}`,
    redactionLines(shown),
    approvalLines(shown),
    repeatLines(shown),
    `The same question twice: the second answer is the first one’s, from the cache. Where the first was asked with a temperature above 0 it
is not kept.

${cachedQuestion(shown.chat)}
${cachedQuestion(shown.chat)}`,
  ].join('\n\n')
}

const cachedQuestion = (chat: ChatLine): string => chat({ model: MODEL, temperature: 0 })

const WITH_NUMBER = [{ role: 'user', content: 'Ring the invented practice at 087 123 4567.' }]

function redactionLines({ chat, emulatorUrl }: Shown): string {
  const ask = chat({ model: MODEL, messages: WITH_NUMBER })
  if (emulatorUrl === null)
    return `A telephone number goes to the provider as a placeholder, and is put back in the answer.\n\n${ask}`
  const queued = { provider: 'openai', behaviours: ['echo'] }
  return `A telephone number goes to the provider as a placeholder, and is put back in the answer: the emulator is told to repeat what
it was sent, the answer has the number, and what the emulator was sent has not.

curl -s ${emulatorUrl}/_emulator/behave -H 'content-type: application/json' -d '${JSON.stringify(queued)}'
${ask}
curl -s '${emulatorUrl}/_emulator/requests?last=1'`
}

/** The answer to the first line is kept beside the session: the next ones read the approval's id in it. */
function approvalLines({ place, chat }: Shown): string {
  const file = quoted(join(dirname(place.sessionFile), 'demo-approval.json'))
  const id = String.raw`"$(sed -n 's/.*"approval_id":"\([^"]*\)".*/\1/p' ${file})"`
  const ask = chat({ model: MODEL }, { 'x-aqta-use-case': 'discharge-letters' })
  return `A request that people must approve first: it is refused, the owner approves it, and the same request passes once.

${ask} | tee ${file}
${change(place, 'POST', `/api/approvals/${id}/decision`, { decision: 'approve', reason: 'Seen, and as it should be.' })}
${ask} -H "x-aqta-approval: "${id}`
}

/** A key of its own for each start: an answer is given again for a day. */
function repeatLines({ place, chat }: Shown): string {
  const ask = chat({ model: MODEL }, { 'idempotency-key': randomUUID() })
  return `A paid call that is sent again under its idempotency key gets its first answer, with the same trace, and costs nothing.

${change(place, 'PATCH', '/api/settings', { idempotent_replays: true })}
${ask}
${ask}`
}
