// The text that npm start -- --demo prints: a command to paste for each thing that the demo year shows.
import { join } from 'node:path'
import { DAY_MS } from '../../../src/platform/time.ts'
import { curlWithKey, curlWithSession, quoteForShell, type SignedIn } from '../curl-lines.ts'
import type { FilledYear } from './fill-year.ts'

type YearPlace = SignedIn & { state: string }

export function demoYearMessage(place: YearPlace, filled: FilledYear): string {
  const { organisationId, owner, key, days, decisions, approved } = filled
  const ask = curlWithKey(place.url, key)
  const first = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10)
  return `
Countersign is running, with ${decisions} invented calls of ${days} days. No model was asked and nobody in them exists: what decided about the
calls, wrote them down and counted them is the service. Every answer about them has the header x-aqta-demo: true.

See them in a browser: sign in as the owner.

  ${place.url}/sign-in

  address        ${place.url}
  organisation   ${organisationId}
  its owner      ${owner.email}  ${owner.password}
  its key        ${key}

The policy that its calls must keep to, and those before it. Then what waits for a person.

${ask.get('/api/policies')}
${ask.get('/api/policies/history')}
${ask.get('/api/approvals?state=pending')}

${usageLines(ask, first)}

${biasLines(ask)}

${reportLines(place, ask, first)}

${statementLines(place, owner)}

${auditLines(place, ask)}

${receiptLines(place, ask, approved)}

In a browser, as ${owner.email} with the password ${owner.password}:

  ${place.url}/sign-in

Stop with Ctrl-C. The state stays in ${place.state}.
`
}

function usageLines(ask: Ask, first: string): string {
  return `How many calls there were and how they ended: the last thirty days, and all of it by month and model. What they cost, by month; and the same
as a table.

${ask.get('/api/analytics/requests')}
${ask.get(`/api/analytics/requests?start=${first}&bucket=month&group_by=model`)}
${ask.get(`/api/analytics/costs?start=${first}&bucket=month`)}
${ask.get(`/api/analytics/costs?start=${first}&bucket=month&format=csv`)}

What became of each call, the latest first; and of those that were blocked.

${ask.get('/api/compliance/audit-trail?limit=3')}
${ask.get('/api/compliance/audit-trail?limit=3&outcome=blocked')}`
}

const biasLines = (ask: Ask): string => `\
How the cohorts were served in the last thirty days: a form in one language asks for a number that the policy blocks. Then by model, how
many calls failed, and what was unusual. Each answer says what it cannot show.

${ask.get('/api/compliance/bias-detection?by=cohort&outcome=blocked')}
${ask.get('/api/compliance/bias-detection?by=model&outcome=failed')}`

function reportLines({ state }: YearPlace, ask: Ask, first: string): string {
  const pdf = join(state, 'report.pdf')
  return `The compliance checklist: what passes, what fails and why. Then a report of all days, whose hash is in the log, and the same as a PDF, which
says on every page that its data is invented.

${ask.get('/api/compliance/score')}
${ask.post('/api/compliance/report', { start: first })}
${ask.post('/api/compliance/export', { start: first })} -o ${quoteForShell(pdf)}
${ask.get('/api/compliance/reports')}`
}

function statementLines(place: YearPlace, owner: FilledYear['owner']): string {
  const session = curlWithSession(place)
  return `\
The owner signs in and states what was found about a difference between the cohorts, which the checklist counts as looked into.

${session.post('/api/auth/login', owner)}
${session.send('PUT', '/api/compliance/statements/disparity:cohort:blocked:lang-pl', { text: STATEMENT })}`
}

const STATEMENT = 'The Polish form asked for a PPS number, which the policy blocks. The form no longer asks.'

/** Returns the path of the service's public keys. A real auditor gets them elsewhere and earlier, to be able to trust them. */
const keysFileIn = (state: string): string => join(state, 'kept-keys.json')

function auditLines({ url, state }: YearPlace, ask: Ask): string {
  const [audit, keys] = [join(state, 'audit.jsonl'), keysFileIn(state)]
  return `The log of the last thirty days as a file: every entry, a signed head and one proof of all of them, of which the last line is shown. Then
the keys that sign, and the file is checked without asking anybody.

${ask.get('/api/compliance/audit-logs')} | tee ${quoteForShell(audit)} | tail -n 1
curl -s ${quoteForShell(`${url}/v1/attestation/keys`)} | tee ${quoteForShell(keys)}
npx countersign-verify ${quoteForShell(audit)} --keys ${quoteForShell(keys)}`
}

type Ask = ReturnType<typeof curlWithKey>

function receiptLines({ state }: YearPlace, ask: Ask, approved: FilledYear['approved']): string {
  const [receipt, receipts, keys] = [join(state, 'receipt.json'), join(state, 'receipts.jsonl'), keysFileIn(state)]
  const ofOne =
    approved === null
      ? ''
      : `One of a call that a person has approved: its signed record, how it ended, who decided, and the proofs that all of it is in the log.
The service checks it against the request as it was sent, which is its own word; and then nobody but you does, with the keys above.

${ask.get(`/api/health/receipts/${approved.attestationId}`)} | tee ${quoteForShell(receipt)}
${ask.post(`/api/health/receipts/${approved.attestationId}/verify`, { request: approved.body })}
npx countersign-verify ${quoteForShell(receipt)} --keys ${quoteForShell(keys)}

`
  return `The medical receipts of the last thirty days.

${ask.get('/api/health/receipts?limit=5')}

${ofOne}All of them as a file, which is checked without the service too.

${ask.get('/api/health/receipts/export')} | tee ${quoteForShell(receipts)} | tail -n 1
npx countersign-verify ${quoteForShell(receipts)} --keys ${quoteForShell(keys)}`
}
