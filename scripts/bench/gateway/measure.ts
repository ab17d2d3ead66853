// Every round runs each case once every way, one right after the other, so that what else the machine does falls on all
// alike and a way is compared with another of its own round.
import { measureRun, type Run } from '../workerd/rounds.ts'
import type { ChatCase } from './cases.ts'
import { callsOf, type System, type SystemName } from './systems.ts'
import type { Upstream } from './upstream.ts'

/** The runs of a case, one a round, by the way they went. */
export type CaseRuns = { chatCase: ChatCase; runs: ReadonlyMap<SystemName, Run[]> }

const WARM_UP_MS = 400

export async function measureCases(
  cases: readonly ChatCase[],
  { systems, upstream }: { systems: readonly System[]; upstream: Upstream },
  { rounds, durationMs }: { rounds: number; durationMs: number },
): Promise<CaseRuns[]> {
  const measured = cases.map((chatCase) => {
    const ways = systems.filter(({ name }) => isOf(chatCase, name, systems))
    return { chatCase, ways, runs: new Map(ways.map(({ name }): [SystemName, Run[]] => [name, []])) }
  })
  const runOnce = async (chatCase: ChatCase, system: System, ms: number): Promise<Run> => {
    await upstream.behave(chatCase.behaviour)
    const load = { nextCall: callsOf(chatCase, system), connections: chatCase.connections, durationMs: ms }
    return await measureRun(system.server, load)
  }

  for (const { chatCase, ways } of measured) {
    for (const system of ways) await runOnce(chatCase, system, Math.min(durationMs, WARM_UP_MS))
  }
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`Round ${round} of ${rounds}\n`)
    for (const { chatCase, ways, runs } of measured) {
      const inTurn = round % 2 === 0 ? ways.toReversed() : ways
      for (const system of inTurn) runs.get(system.name)?.push(await runOnce(chatCase, system, durationMs))
    }
  }
  return measured
}

/** Reading and enqueuing is compared where there are events; the second storage where they do not hide what it costs. */
function isOf({ events }: ChatCase, name: SystemName, systems: readonly System[]): boolean {
  if (name === 'read and enqueue') return events !== null
  if (events === null || !name.endsWith(', disk')) return true
  return !systems.some((system) => system.name === 'gateway, memory')
}
