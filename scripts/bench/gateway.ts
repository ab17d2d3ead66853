// npm run bench -- gateway: compares the gateway's CPU and times with the minimal Workers of baseline-worker.ts and
// necessary-worker.ts, with another revision, and with gateways of others. docs/performance.md explains the numbers.
import { runCommand, UsageError, wholeNumber } from '../command-line.ts'
import { makeStorageFolder } from '../temporary-folder.ts'
import { startEmulatorProcess } from './gateway/emulator-process.ts'
import { caseOf, CHAT_CASES, startSystems, type StartedServer } from './gateway/compared-systems.ts'
import { readOtherGateway } from './gateway/other-gateways.ts'
import { measureCases } from './measure-cases.ts'
import { loadCheckout } from './other-checkout.ts'
import { addedTo, checkTargets, cpu, cpuRatioTo, reportCases, type Column, type Target } from './benchmark-report.ts'

const HELP = `Usage: npm run bench -- gateway [options]

Compares CPU and time of gateway calls with minimal Workers, which take turns. docs/performance.md
explains it.

  --rounds N            rounds per case (default 10)
  --seconds S           seconds of a round (default 30)
  --against FOLDER      also another checkout, installed and with its pages built
  --beside NAME=FOLDER  also another gateway, installed there: portkey or litellm; repeatable
  --only TEXT           only cases whose name contains TEXT
  --organisations N     organisations that send calls (default 4)
  --storage KIND        databases in memory (Linux) or on disk (default memory)
  --quick               one short round: --rounds 1 --seconds 1
  --policies            also the gateway with every policy
  --messages            also the gateway with the same calls as Messages

Cases:
${CHAT_CASES.map(({ name }) => `  ${name}`).join('\n')}

Examples:
  npm run bench -- gateway --quick
  npm run bench -- gateway --only "json, 20 ms, c1"

Exit codes: 0 done, 2 wrong command line.`

const ratio = (baseline: string): Column => ({
  title: `CPU / ${baseline}`,
  figure: cpuRatioTo(baseline),
  digits: 3,
  baseline,
})

const OVER_FLOOR = ratio('floor')
const OVER_NECESSARY = ratio('necessary')
const OVER_ENQUEUING = ratio('read and enqueue')
const OVER_AGAINST = ratio('against')
const ADDED_P50: Column = { title: 'p50 ms over floor', figure: addedTo('floor', 'elapsedMs'), digits: 2 }
const ADDED_FIRST_BYTE: Column = { title: 'first byte', figure: addedTo('floor', 'firstByteMs'), digits: 2 }

const COLUMNS: readonly Column[] = [
  { title: 'CPU µs', figure: cpu, digits: 0 },
  OVER_FLOOR,
  OVER_NECESSARY,
  OVER_ENQUEUING,
  OVER_AGAINST,
  ADDED_P50,
  ADDED_FIRST_BYTE,
]

const target = (column: Column, appliesTo: RegExp, most: number, unit: string, system = 'gateway'): Target => ({
  ...column,
  appliesTo,
  most,
  unit,
  system,
})

const TARGETS: readonly Target[] = [
  target(OVER_AGAINST, /^json, 20 ms/, 0.9, '×'),
  target(OVER_NECESSARY, /^json, 20 ms/, 1.8, '×'),
  target(ADDED_P50, /^json, 20 ms, c1$/, 3, ' ms'),
  target(ADDED_FIRST_BYTE, /every 5 ms, c1$/, 3, ' ms'),
  target(OVER_ENQUEUING, /^stream, 200 at once/, 1.25, '×'),
  target(OVER_AGAINST, /every 5 ms/, 0.95, '×'),
  target(ratio('gateway'), /^/, 1.25, '×', 'every policy'),
  target(ratio('gateway'), /^json, 20 ms/, 1.1, '×', 'messages'),
]

export const benchGateway = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: HELP,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      against: { type: 'string' },
      beside: { type: 'string', multiple: true, default: [] },
      only: { type: 'string', default: '' },
      organisations: { type: 'string', default: '4' },
      storage: { type: 'string', default: 'memory' },
      quick: { type: 'boolean', default: false },
      policies: { type: 'boolean', default: false },
      messages: { type: 'boolean', default: false },
    },
    async run({ values: { quick, only, policies, messages, storage, ...given } }) {
      const rounds = wholeNumber('rounds', given.rounds ?? (quick ? '1' : '10'), 1, 1000)
      const organisations = wholeNumber('organisations', given.organisations, 1, 1000)
      const seconds = Number(given.seconds ?? (quick ? 1 : 30))
      if (!(seconds > 0)) throw new UsageError('--seconds needs a number above 0.')
      const cases = CHAT_CASES.filter(({ name }) => name.includes(only))
      if (cases.length === 0) throw new UsageError(`No case's name contains ${only}. --help lists the cases.`)
      const against = given.against === undefined ? null : await loadCheckout(given.against)
      const beside = given.beside.map(readOtherGateway)
      const folder = await makeStorageFolder(storage)
      const upstream = await startEmulatorProcess()
      const servers: StartedServer[] = []
      try {
        process.stderr.write('Building and starting\n')
        const wanted = {
          folder,
          upstream,
          organisations,
          withPolicies: policies,
          withMessages: messages,
          against,
          beside,
        }
        const systems = await startSystems(wanted, (server) => servers.push(server))
        const measured = await measureCases(
          cases.map((one) => caseOf(one, systems, upstream)),
          { rounds, durationMs: seconds * 1000 },
        )
        const targets = ['Targets', ...checkTargets(measured, TARGETS)].join('\n  ')
        const columns = [...COLUMNS, ...beside.map(({ name }) => ratio(name))]
        console.log(`${reportCases(measured, columns)}\n\n${targets}`)
      } finally {
        await Promise.all([upstream, ...servers].map((one) => one.stop()))
      }
    },
  })
