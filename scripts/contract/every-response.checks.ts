// Contract checks that apply to every answer of the run, such as headers and the error format.
import { envelopeDifferences, type Check, type CheckSource } from './contract-check.ts'
import type { Answer } from './deployment.ts'
import { memberNames, memberOf } from './json-answers.ts'
import { INVENTED_WORD } from './read.checks.ts'

const SHOWN = 5
// The service computes none of these, so no member may have such a name.
const NEVER_A_MEMBER = new Set(
  'average avg mean median rank ranking score confidence suitability recommended recommendation priority urgency'.split(
    ' ',
  ),
)

type Rule = {
  readonly name: string
  readonly appliesTo?: (answer: Answer) => boolean
  /** Returns the problem of one answer, or null. */
  readonly problem: (answer: Answer) => string | null
}

const header = (name: string, pattern: RegExp): Rule => ({
  name,
  problem: ({ headers }) =>
    pattern.test(headers.get(name) ?? '') ? null : `${name} is ${headers.get(name) ?? 'absent'}`,
})

const isHeld = ({ json }: Answer): boolean => memberOf(json, 'decision') === 'held'
const isKeyed = ({ keyed }: Answer): boolean => keyed

const RULES: readonly Rule[] = [
  header('x-request-id', /^[\w.-]{8,128}$/),
  header('server-timing', /./),
  header('x-content-type-options', /^nosniff$/),
  header('referrer-policy', /./),
  header('strict-transport-security', /max-age=\d{7,}/),
  { ...header('x-ratelimit-limit', /^[1-9]\d*$/), appliesTo: isKeyed },
  { ...header('x-ratelimit-remaining', /^\d+$/), appliesTo: isKeyed },
  { ...header('x-ratelimit-reset', /^\d{10}$/), appliesTo: isKeyed },
  {
    name: 'no failure of the service (5xx)',
    problem: ({ status }) => (status < 500 ? null : `status ${status}`),
  },
  {
    name: 'one envelope for every error',
    appliesTo: (answer) => answer.status >= 400 && !isHeld(answer),
    problem: (answer) => envelopeDifferences(answer)[0] ?? null,
  },
  {
    name: 'nothing that was sent is repeated',
    problem: ({ text, headers }) =>
      `${text} ${[...headers].join(' ')}`.includes(INVENTED_WORD) ? 'it repeats what was sent' : null,
  },
  {
    name: 'no average, rank, score or urgency',
    appliesTo: ({ call }) => !call.endsWith('/v1/openapi.json'),
    problem: ({ json }) => {
      const name = [...memberNames(json)].find((each) => wordsOf(each).some((word) => NEVER_A_MEMBER.has(word)))
      return name === undefined ? null : `there is a member ${name}`
    },
  },
]

function wordsOf(memberName: string): string[] {
  return memberName
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
}

function checkOf({ name, appliesTo, problem }: Rule): Check {
  return {
    group: 'every response',
    name,
    expected: 'all',
    // Each rule looks at the answers of earlier checks and sends no call.
    run: ({ answers }) => {
      const concerned = appliesTo === undefined ? answers : answers.filter((answer) => appliesTo(answer))
      const wrong = concerned.flatMap((answer) => {
        const found = problem(answer)
        return found === null ? [] : [`${answer.call} (${answer.status}): ${found}`]
      })
      const more = wrong.length > SHOWN ? [`and ${wrong.length - SHOWN} more`] : []
      return Promise.resolve({
        got: `${concerned.length - wrong.length} of ${concerned.length}`,
        differences: [...wrong.slice(0, SHOWN), ...more],
      })
    },
  }
}

export const everyResponseChecks: CheckSource = () => RULES.map((rule) => checkOf(rule))
