// Checks a deployment against the contract, and returns what differs.
import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod'
import { runContract } from '../contract/run-contract.ts'

/** Groups that take seconds: they neither wait for a limit nor read whole files. */
const QUICK_GROUPS = ['documents', 'keys', 'actions', 'order of refusals', 'waiting lists', 'paths', 'every response']

/** `differing`: the checks that do not agree, by group and name. */
export type ContractAnswer = { checks: number; differing: readonly string[] }

/** `keys`: sandbox keys. `isQuick`: only some groups. `origin`: that of the pages, if it is not the address's. */
export type ContractQuestion = { keys: readonly string[]; isQuick: boolean; origin?: string }

const ReportSchema = z.object({
  checks: z.number(),
  results: z.array(z.object({ group: z.string(), name: z.string(), differences: z.array(z.string()) })),
})

export async function askContract(
  address: string,
  { keys, isQuick, origin = address }: ContractQuestion,
): Promise<ContractAnswer> {
  let text = ''
  const refusals: string[] = []
  const args = [
    address,
    '--json',
    '--origin',
    origin,
    ...keys.flatMap((key) => ['--key', key]),
    ...(isQuick ? QUICK_GROUPS.flatMap((group) => ['--only', group]) : []),
  ]
  await runContract(args, {
    env: {},
    wait: (ms) => wait(ms),
    print: (line) => (text += line),
    report: (line) => refusals.push(line),
  })
  const report = ReportSchema.safeParse(text === '' ? null : JSON.parse(text))
  if (!report.success) return { checks: 0, differing: [refusals.join(' ')] }
  const { checks, results } = report.data
  return {
    checks,
    differing: results.flatMap(({ group, name, differences }) =>
      differences.length === 0 ? [] : [`${group}, ${name}: ${differences.join('; ')}`],
    ),
  }
}
