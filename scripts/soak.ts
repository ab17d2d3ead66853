// npm run soak: kills the service under load at random times, far more often than the tests do. It also takes disk images, and
// archives and deletes entries. After each step it compares the service's records with the answers that clients got. With --minutes
// it kills nothing and watches the memory.
import { startCrashRun, type CrashRun } from '../test/support/e2e/crash/crash-run.ts'
import { A_TILE, LEAVING_ARMS, PURGING_ARMS } from '../test/support/e2e/crash/cuts.ts'
import type { Reconciled } from '../test/support/e2e/crash/reconciled.ts'
import { runCommand, wholeNumber } from './command-line.ts'
import { watchMemory } from './soak/watch-memory.ts'

const HELP = `Usage: npm run soak -- [options]

Kills the service under load at random times, and compares its records with clients' answers.

  --kills N     kills (default 100)
  --images N    disk images per 20 kills (default 4)
  --most-ms N   longest time between kills (default 1500)
  --minutes N   instead of all that: mixed calls for so long, and each minute the memory

Examples:
  npm run soak -- --kills 20
  npm run soak -- --minutes 20

Exit codes: 0 the records agree, or the used heap does not grow; 1 otherwise; 2 wrong command line.`

type SoakOptions = { times: number; images: number; mostMs: number }

/** The kills on one storage. The storage grows, and reading it takes longer and longer. */
const KILLS_A_RUN = 20

/** Runs all kills. Returns the exit code. */
async function soak({ times, images, mostMs }: SoakOptions): Promise<0 | 1> {
  const faults: string[] = []
  const total = { sent: 0, cut: 0, decisions: 0, interrupted: 0 }
  for (let done = 0; done < times; done += KILLS_A_RUN) {
    const run = await startCrashRun()
    try {
      const ended = await killOften(run, { kills: Math.min(KILLS_A_RUN, times - done), images, mostMs })
      total.sent += ended.sent
      total.cut += ended.cut
      total.decisions += ended.last.decisions
      total.interrupted += ended.last.interrupted
      faults.push(...ended.faults)
    } finally {
      await run.close()
    }
    process.stderr.write(`${Math.min(times, done + KILLS_A_RUN)} of ${times} kills, ${faults.length} faults\n`)
  }
  const { sent, cut, decisions, interrupted } = total
  console.log(`${times} kills; ${sent} requests, of which ${cut} were on the way when the process died`)
  console.log(`${decisions} decisions are in the ledgers and in the public log; ${interrupted} ended as interrupted`)
  for (const fault of faults) console.log(fault)
  console.log(faults.length === 0 ? 'the books agree: holds' : `MISSED: ${faults.length} faults`)
  return faults.length === 0 ? 0 : 1
}

type KillsResult = { faults: string[]; sent: number; cut: number; last: Reconciled }

/** Kills one service often, then archives and deletes entries. In the end, all must be settled, published and proven. */
async function killOften(run: CrashRun, life: { kills: number; images: number; mostMs: number }): Promise<KillsResult> {
  const faults: string[] = []
  let [sent, cut] = [0, 0]
  for (let kill = 0; kill < life.kills; kill += 1) {
    const killAt = Date.now() + Math.random() * life.mostMs
    const reconciled = await run.killAt({ name: 'at any time', when: () => Date.now() >= killAt })
    faults.push(...reconciled.faults)
    process.stderr.write('.')
    sent += reconciled.sent
    cut += reconciled.inFlight
  }
  faults.push(...(await run.losePower(life.images)).faults)
  await run.disturb(A_TILE)
  for (const arm of LEAVING_ARMS) faults.push(...(await run.putAway(arm)).faults)
  faults.push(...(await run.putAway()).faults)
  for (const arm of PURGING_ARMS) faults.push(...(await run.expire(arm)).faults)
  faults.push(...(await run.expire()).faults)
  const interrupted = await run.wakeLater(null)
  const last = await run.settleDown()
  faults.push(...interrupted.faults, ...last.faults, ...last.unpublished)
  if (last.open > 0) faults.push(`${last.open} requests are still open`)
  return { faults, sent, cut, last }
}

process.exitCode = await runCommand(process.argv.slice(2), {
  help: HELP,
  options: {
    kills: { type: 'string', default: '100' },
    images: { type: 'string', default: '4' },
    'most-ms': { type: 'string', default: '1500' },
    minutes: { type: 'string' },
  },
  run: ({ values: { kills, images, 'most-ms': mostMs, minutes } }) =>
    minutes === undefined
      ? soak({
          times: wholeNumber('kills', kills),
          images: wholeNumber('images', images),
          mostMs: wholeNumber('most-ms', mostMs),
        })
      : watchMemory(wholeNumber('minutes', minutes, 2)),
})
