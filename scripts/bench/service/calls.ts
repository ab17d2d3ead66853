// The calls that are measured: every example letter a sandbox key gets a decision for, and every list of the sample.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Call } from '../workerd/load.ts'
import { PROJECT } from '../workerd/bundle.ts'

const ExamplesSchema = z.array(
  z.object({
    text: z.string(),
    action: z.string().nullable(),
    expected: z.object({ status: z.int(), decision: z.string().nullable() }),
  }),
)

/** Makes a function that gives the next item each time, from the start again after the last. */
export function cycle<T>(items: readonly T[]): () => T {
  let next = 0
  return () => {
    const item = items[next++ % items.length]
    if (item === undefined) throw new RangeError('nothing to take in turn')
    return item
  }
}

/** POST /v1/referral/read with each example in turn; the decision must be the one the example promises. */
export function readCalls(nextKey: () => string): () => Call {
  const examples = ExamplesSchema.parse(JSON.parse(readFileSync(join(PROJECT, 'data/examples.json'), 'utf8')))
  const nextLetter = cycle(
    examples
      .filter(({ expected }) => expected.status === 200)
      .map(({ text, action, expected: { decision } }) => ({
        body: JSON.stringify(action === null ? { text } : { text, action }),
        decision: `"decision":"${decision}"`,
      })),
  )
  return () => {
    const { body, decision } = nextLetter()
    return {
      method: 'POST',
      path: '/v1/referral/read',
      headers: {
        authorization: `Bearer ${nextKey()}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
      body,
      isRight: (answer) => answer.includes(decision),
    }
  }
}

/** GET /v1/waiting-lists for each specialty and age group in turn. */
export function waitingListCalls(
  nextKey: () => string,
  published: readonly { name: string; ageGroups: readonly string[] }[],
): () => Call {
  const nextList = cycle(
    published.flatMap(({ name, ageGroups }) =>
      ageGroups.map((ageGroup) => ({
        path: `/v1/waiting-lists?${new URLSearchParams({ specialty: name, ageGroup }).toString()}`,
        start: `{"specialty":${JSON.stringify(name)},"ageGroup":"${ageGroup}"`,
      })),
    ),
  )
  return () => {
    const { path, start } = nextList()
    const headers = { authorization: `Bearer ${nextKey()}` }
    return { method: 'GET', path, headers, isRight: (answer) => answer.startsWith(start) }
  }
}
