// What somebody reads who has started with a year of invented calls: one line to paste for each thing that comes of it.
import { quoted, type Place } from '../welcome-people.ts'
import type { FilledYear } from './fill-year.ts'

export function yearLines(
  place: Place & { state: string },
  { organisationId, owner, key, days, decisions }: FilledYear,
): string {
  const get = (path: string): string =>
    `curl -s ${quoted(place.url + path)} -H ${quoted(`authorization: Bearer ${key}`)}`
  return `
Countersign is running, with ${decisions} invented calls of ${days} days. No model was asked and nobody in them exists: what decided about the
calls, wrote them down and counted them is the service. Every answer below has the header x-aqta-demo: true.

  address        ${place.url}
  organisation   ${organisationId}
  its owner      ${owner.email}  ${owner.password}
  its key        ${key}

The policy that its calls must keep to, and those before it.

${get('/api/policies')}
${get('/api/policies/history')}

What waits for a person.

${get('/api/approvals?state=pending')}

Stop with Ctrl-C. The state stays in ${place.state}.
`
}
