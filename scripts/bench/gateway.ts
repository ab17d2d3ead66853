// What a chat call costs through the gateway, beside the same call straight to the provider, through a Worker that passes
// it on, through one that writes a row before and after, and through Portkey on both runtimes; or beside the gateway of
// another revision.
// `npm run bench -- gateway --help`; docs/performance.md says what the figures mean.
import { parseArgs } from 'node:util'
import { reportAgainst, startAgainst } from './gateway/against.ts'
import { measureBesideScans } from './gateway/beside-scans.ts'
import { CASES } from './gateway/cases.ts'
import { measureCases } from './gateway/measure.ts'
import { measureMemory } from './gateway/memory.ts'
import { EVERY_POLICY, startWithPolicies } from './gateway/every-policy.ts'
import { hasPortkey, PORTKEY_HELP } from './gateway/portkey.ts'
import { profileCases } from './gateway/profile.ts'
import { reportCases, reportMemory, reportTargets } from './gateway/report.ts'
import { startSystems } from './gateway/systems.ts'
import { startUpstream } from './gateway/upstream.ts'
import { runMeasurement } from './run-measurement.ts'
import { findCommit } from './service/revision.ts'
import { PROJECT } from './workerd/bundle.ts'
import { pinOthers, pinServer } from './workerd/pin.ts'
import { openStorages, STORAGES } from './workerd/storage-places.ts'

const HELP = `npm run bench -- gateway [options]

  --rounds N          how often each case is run; the figures are medians of the rounds (5)
  --seconds S         how long each run lasts (0.7)
  --only TEXT         only the cases whose name holds it, such as json or "every 5 ms"
  --organisations N   how many organisations the calls are spread over (4)
  --portkey FOLDER    where Portkey is installed, to be measured beside the rest: ${PORTKEY_HELP}
                      (the project's own folder, if it is there)
  --storage KIND      where databases are: memory, disk or both, side by side in the same run (both, where the system has
                      /dev/shm); a commit to a disk takes more CPU than one that waits for nothing. Streams are measured in
                      the first of them
  --pin               every server on the first core, one at a time at work, and callers and provider on the others: figures
                      scatter less (Linux, taskset)
  --quick             one short round, to see that everything runs: --rounds 1 --seconds 0.3
  --against REV       instead, this gateway beside that of another revision, such as main or 7dcb112: the ratio of CPU and of
                      the time to the first byte, case by case; exits with 1 where the median of a case's rounds is higher
                      than the tolerance; 15 rounds, unless told otherwise
  --policies          instead, this gateway for organisations with every policy beside the same with none, as --against does it
  --tolerance N       of --against (1.1) and of --policies (1.25)
  --memory            instead, what the largest requests, 1,000 streams at once and streams nobody reads take of memory
  --beside-scans      instead, calls of one organisation beside another that has eight megabytes of figures scanned at once,
                      again and again: the time of a call alone and beside, and the CPU of a scan; --seconds 8 unless told
                      otherwise; exits with 1 where a target is missed
  --profile           instead, where the gateway's own time goes in each of the cases chosen; with --policies, with every
                      policy
  --help              this text

Cases: ${CASES.map(({ name }) => name).join(' · ')}`

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string', default: '' },
    organisations: { type: 'string', default: '4' },
    portkey: { type: 'string' },
    storage: { type: 'string', default: 'both' },
    pin: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    against: { type: 'string' },
    policies: { type: 'boolean', default: false },
    tolerance: { type: 'string' },
    memory: { type: 'boolean', default: false },
    'beside-scans': { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
})

const usualRounds = options.against === undefined && !options.policies ? '5' : '15'
const rounds = Number(options.rounds ?? (options.quick ? '1' : usualRounds))
const usualSeconds = options['beside-scans'] ? '8' : '0.7'
const seconds = Number(options.seconds ?? (options.quick ? '0.3' : usualSeconds))
const organisations = Number(options.organisations)
const tolerance = Number(options.tolerance ?? (options.policies ? '1.25' : '1.1'))
const commit = options.against === undefined ? null : await findCommit(options.against)
const cases = CASES.filter(({ name }) => name.includes(options.only))
const portkey = options.portkey ?? (hasPortkey(PROJECT) ? PROJECT : null)

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= 1000
const storages = STORAGES.filter((storage) => options.storage === 'both' || options.storage === storage)
const isRunnable =
  isCount(rounds) && isCount(organisations) && seconds > 0 && tolerance > 0 && cases.length > 0 && storages.length > 0

type Running = { pid: number; stop: () => Promise<void> }

async function bench(folder: string, running: Running[]): Promise<void> {
  const started = (one: Running): void => void running.push(one)
  const upstream = await startUpstream()
  started(upstream)
  const pinned = async (): Promise<void> => {
    if (!options.pin) return
    const servers = running.filter((one) => one !== upstream)
    await Promise.all([
      ...servers.map(({ pid }) => pinServer(pid)),
      ...[upstream, process].map(({ pid }) => pinOthers(pid)),
    ])
  }
  if (options.memory) return tell(await measureMemory(folder, upstream))
  if (options['beside-scans']) return tell(await measureBesideScans(folder, upstream, seconds))
  const places = await openStorages(storages)
  const one = { folder: places[0]?.folder ?? folder, upstream, organisations }
  if (options.profile) {
    return console.log(await profileCases(cases, { ...one, ...(options.policies && { policy: EVERY_POLICY }) }))
  }

  process.stderr.write('Building and starting\n')
  const runs = { rounds, durationMs: seconds * 1000 }
  if (options.policies) {
    const gateways = await startWithPolicies(one, started)
    await pinned()
    return tell(reportAgainst(await measureCases(cases, { systems: gateways, upstream }, runs), 'no policy', tolerance))
  }
  if (commit !== null) {
    const gateways = await startAgainst(commit, one, started)
    await pinned()
    const measured = await measureCases(cases, { systems: gateways, upstream }, runs)
    return tell(reportAgainst(measured, 'gateway before', tolerance))
  }
  const systems = await startSystems({ folder, upstream, organisations, storages: places, portkey }, started)
  if (portkey === null) process.stderr.write('Portkey is not installed, and is left out\n')
  await pinned()
  const measured = await measureCases(cases, { systems, upstream }, runs)
  console.log([reportCases(measured), reportMemory(systems), reportTargets(measured)].join('\n\n'))
}

function tell({ text, holds }: { text: string; holds: boolean }): void {
  console.log(text)
  if (!holds) process.exitCode = 1
}

async function run(folder: string): Promise<void> {
  const running: Running[] = []
  try {
    await bench(folder, running)
  } finally {
    await Promise.all(running.map((one) => one.stop()))
  }
}

const WRONG =
  'Rounds and organisations are whole numbers from 1, seconds and the tolerance numbers above 0, the storage one of the three.'
const UNKNOWN = 'There is no such revision here. A name, a tag or the hash of a commit is asked for.'

function refusal(): string | null {
  if (options.against !== undefined && commit === null) return UNKNOWN
  return isRunnable ? null : WRONG
}

await runMeasurement({ help: HELP, isHelpWanted: options.help === true, refusal: refusal(), run })
