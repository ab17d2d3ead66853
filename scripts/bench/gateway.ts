// What a chat call costs through the gateway, beside the same call straight to the provider, through a Worker that passes
// it on, through one that makes the same durable writes, and through Portkey. `npm run bench -- gateway --help`;
// docs/performance.md says what the figures mean.
import { parseArgs } from 'node:util'
import { CASES } from './gateway/cases.ts'
import { measureCases } from './gateway/measure.ts'
import { measureMemory } from './gateway/memory.ts'
import { hasPortkey, PORTKEY_HELP } from './gateway/portkey.ts'
import { profileCases } from './gateway/profile.ts'
import { reportCases, reportMemory, reportTargets } from './gateway/report.ts'
import { startSystems } from './gateway/systems.ts'
import { startUpstream } from './gateway/upstream.ts'
import { runMeasurement } from './run-measurement.ts'
import { PROJECT } from './workerd/bundle.ts'

const HELP = `npm run bench -- gateway [options]

  --rounds N          how often each case is run; the figures are medians of the rounds (5)
  --seconds S         how long each run lasts (0.7)
  --only TEXT         only the cases whose name holds it, such as json or "every 5 ms"
  --organisations N   how many organisations the calls are spread over (4)
  --portkey FOLDER    where Portkey is installed, to be measured beside the rest: ${PORTKEY_HELP}
                      (the project's own folder, if it is there)
  --quick             one short round, to see that everything runs: --rounds 1 --seconds 0.3
  --memory            instead, what the largest requests, 1,000 streams at once and streams nobody reads take of memory
  --profile           instead, where the gateway's own time goes in each of the cases chosen
  --help              this text

Cases: ${CASES.map(({ name }) => name).join(' · ')}`

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string', default: '' },
    organisations: { type: 'string', default: '4' },
    portkey: { type: 'string' },
    quick: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
})

const rounds = Number(options.rounds ?? (options.quick ? '1' : '5'))
const seconds = Number(options.seconds ?? (options.quick ? '0.3' : '0.7'))
const organisations = Number(options.organisations)
const cases = CASES.filter(({ name }) => name.includes(options.only))
const portkey = options.portkey ?? (hasPortkey(PROJECT) ? PROJECT : null)

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= 1000
const isRunnable = isCount(rounds) && isCount(organisations) && seconds > 0 && cases.length > 0

type Stoppable = { stop: () => Promise<void> }

async function bench(folder: string, running: Stoppable[]): Promise<void> {
  const upstream = await startUpstream()
  running.push(upstream)
  if (options.memory) {
    const { text, holds } = await measureMemory(folder, upstream)
    console.log(text)
    if (!holds) process.exitCode = 1
    return
  }
  if (options.profile) return console.log(await profileCases(cases, { folder, upstream, organisations }))

  process.stderr.write('Building and starting\n')
  const systems = await startSystems({ folder, upstream, organisations, portkey }, (server) => running.push(server))
  if (portkey === null) process.stderr.write('Portkey is not installed, and is left out\n')
  const measured = await measureCases(cases, { systems, upstream }, { rounds, durationMs: seconds * 1000 })
  console.log([reportCases(measured), reportMemory(systems), reportTargets(measured)].join('\n\n'))
}

async function run(folder: string): Promise<void> {
  const running: Stoppable[] = []
  try {
    await bench(folder, running)
  } finally {
    await Promise.all(running.map((one) => one.stop()))
  }
}

const WRONG = 'Rounds and organisations are whole numbers from 1, seconds a number above 0.'

await runMeasurement({ help: HELP, isHelpWanted: options.help === true, refusal: isRunnable ? null : WRONG, run: run })
