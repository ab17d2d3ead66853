// npm run bench -- referral: measures the CPU of a referral call, compared with the floor: a Worker that writes the call's row and
// returns a recorded answer. It also measures the delay between a live reading's slowest sample and the answer.
// docs/performance.md explains the numbers.
import { join } from 'node:path'
import * as z from 'zod'
import { REFERRAL_LIMITS } from '../../src/keys/rate-limits.policy.ts'
import { EXAMPLES } from '../example-letters.ts'
import { ReadResponseSchema } from '../../src/referral/read.schema.ts'
import { runCommand, UsageError, wholeNumber } from '../command-line.ts'
import { startEmulator } from '../emulator/server.ts'
import { emulatedProviders, PREFERRED_ENDPOINTS } from '../local/emulated-providers.ts'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import { bundleWorker } from '../workerd/build-bundle.ts'
import type { Binding } from '../workerd/workerd-config.ts'
import { startWorkerd, type RunningWorkerd } from '../workerd/start-workerd.ts'
import { issueKeys, startService, type RunningService } from '../workerd/start-service.ts'
import { createAgent, makeCall, cycle, send, type Call } from './send-load.ts'
import { measureCases, type BenchmarkCase } from './measure-cases.ts'
import { checkTargets, cpu, cpuRatioTo, reportCases, verdict, type Column, type Target } from './benchmark-report.ts'
import { median, percentile } from './statistics.ts'

const HELP = `Usage: npm run bench -- referral [options]

Measures CPU of referral calls against a minimal Worker, and the delay of live readings.

  --rounds N          rounds per case (default 10)
  --seconds S         seconds of a round (default 10)
  --organisations N   organisations that have keys (default 1)
  --keys N            sandbox keys, each for ${REFERRAL_LIMITS.vk_test_.perMinute} calls per minute (default 1200)
  --readings N        live readings (default 100)

Example:
  npm run bench -- referral --rounds 1 --keys 120

Exit codes: 0 the readings meet their target, 1 they miss it, 2 wrong command line.`

const CONNECTIONS = [1, 16]
/** The emulator's delay before each sample of a live reading. */
const SAMPLE_MS = 150
const WARM_UP_READINGS = 10
const READINGS_A_KEY = 50

const OVER_FLOOR: Column = { title: 'CPU / floor', figure: cpuRatioTo('floor'), digits: 2 }

const COLUMNS: readonly Column[] = [{ title: 'CPU µs', figure: cpu, digits: 0 }, OVER_FLOOR]

const overFloor = (appliesTo: RegExp, most: number): Target => ({
  ...OVER_FLOOR,
  appliesTo,
  system: 'service',
  most,
  unit: '×',
})
const TARGETS: readonly Target[] = [overFloor(/^sandbox read, c1$/, 2.3), overFloor(/^waiting lists, c1$/, 1.8)]
/** The most milliseconds between the slowest sample and the answer, at the median. */
const MOST_LATE_MS = 10

type Options = { rounds: number; seconds: number; organisations: number; keys: number; readings: number }

export const benchReferral = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: HELP,
    options: {
      rounds: { type: 'string', default: '10' },
      seconds: { type: 'string', default: '10' },
      organisations: { type: 'string', default: '1' },
      keys: { type: 'string', default: '1200' },
      readings: { type: 'string', default: '100' },
    },
    async run({ values }) {
      const seconds = Number(values.seconds)
      if (!(seconds > 0)) throw new UsageError('--seconds needs a number above 0.')
      const benchOptions = {
        seconds,
        rounds: wholeNumber('rounds', values.rounds),
        organisations: wholeNumber('organisations', values.organisations),
        keys: wholeNumber('keys', values.keys),
        readings: wholeNumber('readings', values.readings),
      }
      const folder = await makeTemporaryFolder()
      process.stderr.write('Building and starting\n')
      const emulator = await startEmulator({ delayMs: SAMPLE_MS })
      const service = await startService(join(folder, 'service'), {
        vars: emulatedProviders(emulator.url, PREFERRED_ENDPOINTS),
      })
      try {
        await measureAgainstFloor(folder, service, benchOptions)
        return (await measureReadings(service, benchOptions.readings)) ? 0 : 1
      } finally {
        await service.server.stop()
        await emulator.close()
      }
    },
  })

async function measureAgainstFloor(
  folder: string,
  { server, target }: RunningService,
  benchOptions: Options,
): Promise<void> {
  const { rounds, seconds, organisations, keys } = benchOptions
  const keysOfEach = Math.ceil(keys / organisations)
  process.stderr.write(`Issuing ${keysOfEach * organisations} keys\n`)
  const nextKey = cycle(await issueKeys(target, organisations, keysOfEach))
  const nextRead = sandboxReadings(nextKey)
  const nextList = await waitingLists(server, nextKey)
  const answers = { read: await answerOf(server, nextRead()), list: await answerOf(server, nextList()) }
  const floor = await startFloor(join(folder, 'floor'), organisations, answers)
  try {
    const casesOf = (name: string, nextCall: () => Call, constant: string): BenchmarkCase[] =>
      CONNECTIONS.map((connections) => ({
        name: `${name}, c${connections}`,
        connections,
        systems: [
          { name: 'floor', server: floor, nextCall: () => ({ ...nextCall(), isRight: (body) => body === constant }) },
          { name: 'service', server, nextCall },
        ],
      }))
    const measured = await measureCases(
      [...casesOf('sandbox read', nextRead, answers.read), ...casesOf('waiting lists', nextList, answers.list)],
      { rounds, durationMs: seconds * 1000 },
    )
    console.log([reportCases(measured, COLUMNS), checkTargets(measured, TARGETS).join('\n')].join('\n\n'))
  } finally {
    await floor.stop()
  }
}

/** Starts a Worker that writes a call's row and repeats one recorded answer of the service. */
async function startFloor(
  folder: string,
  objects: number,
  { read, list }: { read: string; list: string },
): Promise<RunningWorkerd> {
  const bindings: Binding[] = [
    { kind: 'text', name: 'MODE', value: 'answer' },
    { kind: 'json', name: 'OBJECTS', value: objects },
    { kind: 'text', name: 'POST_ANSWER', value: read },
    { kind: 'text', name: 'GET_ANSWER', value: list },
    { kind: 'durable_object', name: 'OBJECT', className: 'RowWriter' },
  ]
  const bundle = await bundleWorker(join(folder, 'worker'), 'scripts/bench/baseline-worker.ts')
  return startWorkerd(folder, { bundle, bindings }, null)
}

const readableExamples = () => EXAMPLES.list.filter(({ expected }) => expected.status === 200)

/** Returns calls for each example letter in turn. The decision must be the one that the example states. */
function sandboxReadings(nextKey: () => string): () => Call {
  const nextExample = cycle(readableExamples())
  return () => {
    const { text, action, expected } = nextExample()
    const body = JSON.stringify(action === null ? { text } : { text, action })
    const decision = `"decision":"${expected.decision}"`
    return makeCall(nextKey(), '/v1/referral/read', body, (answer) => answer.includes(decision))
  }
}

const SpecialtiesSchema = z.object({
  specialties: z.array(z.object({ name: z.string(), ageGroups: z.array(z.string()) })),
})

/** Returns calls for the lists of each specialty and age group in turn. */
async function waitingLists(server: RunningWorkerd, nextKey: () => string): Promise<() => Call> {
  const answer = await answerOf(
    server,
    makeCall(nextKey(), '/v1/specialties', null, () => true),
  )
  const { specialties } = SpecialtiesSchema.parse(JSON.parse(answer))
  const nextList = cycle(
    specialties.flatMap(({ name, ageGroups }) => ageGroups.map((ageGroup) => ({ name, ageGroup }))),
  )
  return () => {
    const { name, ageGroup } = nextList()
    const path = `/v1/waiting-lists?${new URLSearchParams({ specialty: name, ageGroup }).toString()}`
    const start = `{"specialty":${JSON.stringify(name)},"ageGroup":"${ageGroup}"`
    return makeCall(nextKey(), path, null, (body) => body.startsWith(start))
  }
}

async function answerOf(server: RunningWorkerd, call: Call): Promise<string> {
  const agent = createAgent()
  try {
    return (await send(agent, server.port, call)).body
  } finally {
    agent.destroy()
  }
}

/**
 * Measures the time between a live reading's slowest sample and its answer. Returns true if the target is met. The answer itself
 * has the samples' times.
 */
async function measureReadings({ server, target }: RunningService, readings: number): Promise<boolean> {
  process.stderr.write(`${readings} live readings\n`)
  const keys = await issueKeys(target, 1, Math.ceil((readings + WARM_UP_READINGS) / READINGS_A_KEY), 'vk_live_')
  const nextKey = cycle(keys)
  const nextExample = cycle(readableExamples())
  const agent = createAgent()
  const delaysMs: number[] = []
  for (let n = -WARM_UP_READINGS; n < readings; n++) {
    const body = JSON.stringify({ text: nextExample().text })
    const call = makeCall(nextKey(), '/v1/referral/read', body, (answer) => answer.includes('"sandbox":false'))
    const answer = await send(agent, server.port, call)
    const { readers } = ReadResponseSchema().parse(JSON.parse(answer.body))
    const slowest = Math.max(...readers.flatMap(({ samples }) => samples.map(({ ms }) => ms)))
    if (n >= 0) delaysMs.push(answer.timing.elapsedMs - slowest)
  }
  agent.destroy()
  const { line, holds } = verdict(
    'live reading: answer after its slowest sample',
    median(delaysMs),
    MOST_LATE_MS,
    ' ms',
  )
  console.log(`\n${line}; 90% within ${percentile(delaysMs, 0.9).toFixed(1)} ms`)
  return holds
}
