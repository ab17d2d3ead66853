// npm run bench -- gateway: measures what the gateway adds to a chat call. The same calls go to the provider itself (direct) and
// to the minimal Workers of baseline-worker.ts. --memory measures memory instead. --beside-scans measures how scans slow down
// another organisation's calls. docs/performance.md explains the numbers.
import { runCommand, UsageError, wholeNumber } from '../command-line.ts'
import { makeStorageFolder } from '../temporary-folder.ts'
import type { RunningWorkerd } from '../workerd/start-workerd.ts'
import { measureNoisyNeighbour } from './gateway/noisy-neighbour.ts'
import { measureMemory } from './gateway/measure-memory.ts'
import { startEmulatorProcess } from './gateway/emulator-process.ts'
import { caseOf, CHAT_CASES, startSystems } from './gateway/compared-systems.ts'
import { measureCases } from './measure-cases.ts'
import { pin } from './process-stats.ts'
import {
  addedP99To,
  addedTo,
  cpuOf,
  checkTargets,
  medianOf,
  medianTiming,
  ratioTo,
  reportCases,
  type Column,
  type Target,
} from './benchmark-report.ts'

const HELP = `npm run bench -- gateway [options]

  --rounds N          how often each case is run; the figures are medians of the rounds (5)
  --seconds S         how long each run lasts (0.7)
  --only TEXT         only the cases whose name contains it, such as json or "every 5 ms"
  --organisations N   how many organisations the calls are spread over (4)
  --storage KIND      where the databases are: memory (Linux) or disk (memory); a commit to a disk takes more CPU
  --pin               every server on the first core, callers and provider on the others: figures scatter less (Linux, taskset)
  --quick             one short round, to see that everything runs: --rounds 1 --seconds 0.3
  --policies          also the gateway for organisations with every policy, beside the same without any
  --memory            instead, the memory that the largest requests, 1,000 streams at once and unread streams take
  --beside-scans      instead, calls of one organisation beside another that has eight megabytes of figures scanned at once,
                      again and again: the time of a call alone and beside, and the CPU of a scan; --seconds 8 by default

Exits with 1 if a bound of --memory or --beside-scans is missed. Cases: ${CHAT_CASES.map(({ name }) => name).join(' · ')}`

const elapsed = medianTiming('elapsedMs')
const firstByte = medianTiming('firstByteMs')
const longestGap = medianTiming('longestGapMs')

const COLUMNS: readonly Column[] = [
  { title: 'requests/s', figure: medianOf((run) => run.requestsPerSecond), digits: 0 },
  { title: 'added p50 ms', figure: addedTo('direct', elapsed), digits: 2 },
  { title: 'added p99 ms', figure: addedP99To('direct'), digits: 2 },
  { title: 'added first byte ms', figure: addedTo('direct', firstByte), digits: 2 },
  { title: 'added longest gap ms', figure: addedTo('direct', longestGap), digits: 2 },
  { title: 'CPU µs', figure: medianOf(cpuOf), digits: 0 },
  { title: 'CPU / floor', figure: ratioTo('floor', cpuOf), digits: 2 },
]

/** Makes a target of the gateway for the cases whose name matches. */
const target = (casePattern: RegExp, what: string, figure: Target['figure'], most: number, unit: string): Target => ({
  appliesTo: (name) => casePattern.test(name),
  system: 'gateway',
  what,
  figure,
  most,
  unit,
})

const TARGETS: readonly Target[] = [
  target(/^stream, 200 at once/, 'CPU, gateway / read and enqueue', ratioTo('read and enqueue', cpuOf), 0.7, '×'),
  target(/^json, 20 ms, c16$/, 'added p50', addedTo('direct', elapsed), 3, ' ms'),
  target(/every 5 ms, c1$/, 'first byte over direct', addedTo('direct', firstByte), 3, ' ms'),
  target(/every 5 ms/, 'longest gap over direct', addedTo('direct', longestGap), 5, ' ms'),
  {
    ...target(/^/, 'CPU, every policy / gateway', ratioTo('gateway', cpuOf), 1.25, '×'),
    system: 'every policy',
  },
]

type Running = { pid: number; stop: () => Promise<void> }

export const benchGateway = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: HELP,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string', default: '' },
      organisations: { type: 'string', default: '4' },
      storage: { type: 'string', default: 'memory' },
      pin: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      policies: { type: 'boolean', default: false },
      memory: { type: 'boolean', default: false },
      'beside-scans': { type: 'boolean', default: false },
    },
    async run({ values: { quick, only, pin: isPinned, policies, memory, storage, ...given } }) {
      const rounds = wholeNumber('rounds', given.rounds ?? (quick ? '1' : '5'), 1, 1000)
      const organisations = wholeNumber('organisations', given.organisations, 1, 1000)
      const isBesideScans = given['beside-scans']
      const usualSeconds = isBesideScans ? '8' : '0.7'
      const seconds = Number(given.seconds ?? (quick ? '0.3' : usualSeconds))
      if (!(seconds > 0)) throw new UsageError('--seconds takes a number above 0.')
      const cases = CHAT_CASES.filter(({ name }) => name.includes(only))
      if (cases.length === 0) throw new UsageError(`No case has ${only} in its name.`)
      const folder = await makeStorageFolder(storage)
      const upstream = await startEmulatorProcess()
      const servers: Running[] = []
      try {
        if (memory) return print(await measureMemory(folder, upstream))
        if (isBesideScans) return print(await measureNoisyNeighbour(folder, upstream, seconds))
        process.stderr.write('Building and starting\n')
        const wanted = { folder, upstream, organisations, withPolicies: policies }
        const systems = await startSystems(wanted, (server: RunningWorkerd) => servers.push(server))
        const pids = servers.map(({ pid }) => pid)
        if (isPinned) await pin(pids, [upstream.pid, process.pid])
        const runs = { rounds, durationMs: seconds * 1000 }
        const measured = await measureCases(
          cases.map((one) => caseOf(one, systems, upstream)),
          runs,
        )
        const { lines } = checkTargets(measured, TARGETS)
        return print({
          text: `${reportCases(measured, COLUMNS)}\n\n${['Targets', ...lines].join('\n  ')}`,
          holds: true,
        })
      } finally {
        await Promise.all([upstream, ...servers].map((one) => one.stop()))
      }
    },
  })

function print({ text, holds }: { text: string; holds: boolean }): number {
  console.log(text)
  return holds ? 0 : 1
}
