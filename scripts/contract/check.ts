// What a check is: a name, what the contract says, and how to find out what the deployment does. Most are one call and
// are made by callCheck.
import type { Answer, Call, Deployment } from './deployment.ts'
import { envelopeDifferences, isErrorCode, STATUS_OF, type ErrorCode } from './error-envelope.ts'
import { memberOf } from './json.ts'
import { heldDifferences } from './held-body.ts'

export type Finding = {
  readonly got: string
  /** What differs from the contract, a sentence each; none when it agrees. */
  readonly differences: readonly string[]
}

export type Check = {
  readonly group: string
  readonly name: string
  readonly expected: string
  readonly run: (deployment: Deployment) => Promise<Finding>
}

/** The checks of a group. Some groups can only be listed once the deployment was asked. */
export type CheckSource = (deployment: Deployment) => readonly Check[] | Promise<readonly Check[]>

/** A success status, the code of an error, or the held body. */
type Expected = number | ErrorCode | 'held'

type CallCheck = {
  readonly group: string
  readonly name: string
  readonly expected: Expected
  readonly call: Call | ((deployment: Deployment) => Call | Promise<Call>)
  /** What else must hold of an answer with the expected status. */
  readonly examine?: (answer: Answer, deployment: Deployment) => readonly string[] | Promise<readonly string[]>
}

export function callCheck({ group, name, expected, call, examine }: CallCheck): Check {
  return {
    group,
    name,
    expected: describe(expected),
    run: async (deployment) => {
      const answer = await deployment.send(typeof call === 'function' ? await call(deployment) : call)
      const got = describeAnswer(answer)
      const status = statusOf(expected)
      if (answer.status !== status) return { got, differences: [`status ${answer.status}, not ${status}`] }
      const further = examine === undefined ? [] : await examine(answer, deployment)
      return { got, differences: [...bodyDifferences(expected, answer), ...further] }
    },
  }
}

/** A difference when two values are not the same text, number, boolean or null. */
export function differs(what: string, got: unknown, expected: string | number | boolean | null): readonly string[] {
  return got === expected ? [] : [`${what} is ${show(got)}, not ${show(expected)}`]
}

export function describeAnswer(answer: Answer): string {
  const word = memberOf(answer.json, 'error', 'code') ?? memberOf(answer.json, 'decision')
  return typeof word === 'string' ? `${answer.status} ${word.slice(0, 40)}` : String(answer.status)
}

function bodyDifferences(expected: Expected, answer: Answer): readonly string[] {
  if (typeof expected === 'number') return []
  if (expected === 'held') return heldDifferences(answer)
  return [...envelopeDifferences(answer), ...differs('error.code', memberOf(answer.json, 'error', 'code'), expected)]
}

function statusOf(expected: Expected): number {
  if (typeof expected === 'number') return expected
  return expected === 'held' ? 409 : STATUS_OF[expected]
}

function describe(expected: Expected): string {
  return isErrorCode(expected) || expected === 'held' ? `${statusOf(expected)} ${expected}` : String(expected)
}

function show(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value).slice(0, 80)
}
