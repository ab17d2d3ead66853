// How many rows a call writes, whatever its operation, and a change of settings reads, which is what the platform bills.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { foundOrganisation, noon, positionOf, type ChatOrganisation } from './chat-organisation.ts'

/** A snapshot of the state is written every 64 events. A call is two of them. */
const CALLS = 64

const ROUTES = ['createChatCompletion', 'createMessage', 'createResponse'] as const

it.each(ROUTES)(
  '%s writes two rows to admit a call, one to settle it, and two snapshots in 64 calls',
  async (route) => {
    vi.setSystemTime(noon)
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    // The first call sets the alarm.
    await organisation.settle(positionOf(await organisation.admit(key, { route })), 10)
    const rowsOf = await countRows(organisation)
    const admitted: number[] = []
    const settled: number[] = []
    for (let call = 0; call < CALLS; call += 1) {
      let position = -1
      admitted.push(await rowsOf(async () => (position = positionOf(await organisation.admit(key, { route })))))
      settled.push(await rowsOf(() => organisation.settle(position, 10)))
    }
    const sum = (rows: number[]): number => rows.reduce((all, one) => all + one, 0)
    expect([sum(admitted), sum(settled)]).toEqual([2 * CALLS, CALLS + 2])
  },
)

it('reads few rows to change settings, however many receipts wait for the public log', async () => {
  vi.setSystemTime(noon)
  const organisation = await foundOrganisation({ tier: 'pro' })
  const key = await organisation.issueKey()
  for (let call = 0; call < CALLS; call += 1) await organisation.admit(key)
  const rowsOf = await countRows(organisation, 'rowsRead')
  expect(await rowsOf(() => organisation.set({ requests_per_minute: 99 }))).toBeLessThan(10)
})

/** @returns a function that says how many rows the organisation's object writes or reads meanwhile, indexes included */
async function countRows(
  { id }: ChatOrganisation,
  counted: 'rowsWritten' | 'rowsRead' = 'rowsWritten',
): Promise<(work: () => Promise<unknown>) => Promise<number>> {
  const object = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))
  let cursors: Record<typeof counted, number>[] = []
  await runInDurableObject(object, (_, { storage: { sql } }) => {
    const execute = sql.exec.bind(sql)
    const exec = (...statement: Parameters<typeof execute>) => {
      const cursor = execute(...statement)
      cursors.push(cursor)
      return cursor
    }
    Object.defineProperty(sql, 'exec', { value: exec, configurable: true })
  })
  return async (work) => {
    cursors = []
    await work()
    return runInDurableObject(object, () => cursors.reduce((rows, cursor) => rows + cursor[counted], 0))
  }
}
