// Runs the contract runner against the fake deployment and hands back what it printed, waited for and concluded.
import * as z from 'zod'
import { runContract } from '../../../scripts/contract/run-contract.ts'
import { FAKE_KEY, startFakeDeployment, type Mistake } from './fake-deployment.ts'

const ReportSchema = z.strictObject({
  baseUrl: z.string(),
  ok: z.boolean(),
  checks: z.int(),
  differing: z.int(),
  calls: z.int(),
  waitedSeconds: z.int(),
  notRun: z.array(z.string()),
  results: z.array(
    z.strictObject({
      group: z.string(),
      name: z.string(),
      expected: z.string(),
      got: z.string(),
      ok: z.boolean(),
      differences: z.array(z.string()),
    }),
  ),
})

export async function runAgainstFake(args: readonly string[], mistake?: Mistake) {
  const fake = await startFakeDeployment(mistake)
  const waits: number[] = []
  try {
    const ran = await runCommand([fake.baseUrl, '--key', FAKE_KEY, ...args], {}, waits)
    return { ...ran, waits }
  } finally {
    await fake.close()
  }
}

/** The runner's own report, and what differs in it by the name of the check. */
export async function reportOnFake(args: readonly string[], mistake?: Mistake) {
  const { exitCode, printed } = await runAgainstFake(['--json', ...args], mistake)
  const report = ReportSchema.parse(JSON.parse(printed))
  const differing = report.results.filter(({ ok }) => !ok)
  return { exitCode, report, found: new Map(differing.map(({ name, differences }) => [name, differences.join('\n')])) }
}

export async function runCommand(args: readonly string[], env: Record<string, string> = {}, waits: number[] = []) {
  const printed: string[] = []
  const reported: string[] = []
  const exitCode = await runContract(args, {
    print: (line) => printed.push(line),
    report: (line) => reported.push(line),
    env,
    wait: async (ms) => void waits.push(ms),
  })
  return { exitCode, printed: printed.join('\n'), reported: reported.join('\n') }
}
