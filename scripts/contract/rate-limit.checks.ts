// One 429. It takes a key whose limit may be used up, and floods it until it is.
import { describeAnswer, differs, type Check, type CheckSource, type Finding } from './check.ts'
import type { Answer, Deployment } from './deployment.ts'
import { envelopeDifferences } from './error-envelope.ts'
import { memberOf } from './json.ts'

const MOST_CALLS = 200
const AT_ONCE = 10

async function flood(deployment: Deployment, limitedKey: string): Promise<Answer | Finding> {
  const call = { path: '/v1/specialties', key: limitedKey }
  const first = await deployment.send(call)
  if (first.status === 429) return first
  const limit = Number(first.headers.get('x-ratelimit-limit'))
  if (!(limit >= 1 && limit < MOST_CALLS)) {
    return { got: `a limit of ${limit}`, differences: [`the key's limit is not one that ${MOST_CALLS} calls use up`] }
  }
  let last = first
  for (let made = 1; made <= limit + AT_ONCE; made += AT_ONCE) {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => deployment.send(call)))
    const refused = answers.find(({ status }) => status === 429)
    if (refused !== undefined) return refused
    last = answers.at(-1) ?? last
  }
  return last
}

function refusalDifferences(answer: Answer): readonly string[] {
  const retryAfter = Number(answer.headers.get('retry-after'))
  const retryAfterMs = Number(answer.headers.get('retry-after-ms'))
  return [
    ...envelopeDifferences(answer),
    ...differs('error.code', memberOf(answer.json, 'error', 'code'), 'rate_limit_exceeded'),
    ...(Number.isInteger(retryAfter) && retryAfter >= 1
      ? []
      : ['retry-after is not a whole number of seconds from 1 up']),
    ...differs('error.retry_after', memberOf(answer.json, 'error', 'retry_after'), retryAfter),
    ...(retryAfterMs > 0 && retryAfterMs <= retryAfter * 1000 ? [] : ['retry-after-ms does not go with retry-after']),
    ...differs('x-ratelimit-remaining', answer.headers.get('x-ratelimit-remaining'), '0'),
  ]
}

export function rateLimitChecks(limitedKey: string): CheckSource {
  const check: Check = {
    group: 'rate limit',
    name: 'a flood is refused, and told when to come back',
    expected: '429 rate_limit_exceeded',
    run: async (deployment) => {
      const answer = await flood(deployment, limitedKey)
      if ('differences' in answer) return answer
      const got = describeAnswer(answer)
      return { got, differences: answer.status === 429 ? refusalDifferences(answer) : ['the flood was let through'] }
    },
  }
  return () => [check]
}
