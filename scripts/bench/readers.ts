// How much later than its slowest sample a live reading is answered, on workerd over the built bundle, with the emulator
// answering after a fixed delay. `npm run bench -- readers --help`; docs/readings.md says what the figures mean.
import { Agent } from 'node:http'
import { parseArgs } from 'node:util'
import { ReadResponseSchema, type ReadResponse } from '../../src/referral/read.schema.ts'
import { startEmulator } from '../emulator/server.ts'
import { emulatedProviders } from '../local/emulated-providers.ts'
import { readableLetters } from '../soak/reading-letters.ts'
import { runMeasurement } from './run-measurement.ts'
import { cycle } from './service/calls.ts'
import { issueKeys, startService } from './service/start-service.ts'
import { send } from './workerd/load.ts'

const HELP = `npm run bench -- readers [options]

  --readings N   how many readings each case takes, one after the other (100)
  --delay-ms N   how long the emulator waits before each answer (150)
  --help         this text`

/** Milliseconds that an answer may come after its slowest sample, or after the time limit, at the median. */
const TARGET_MS = 10
const TIME_LIMIT_MS = 400
const CALLS_A_KEY = 50
const WARM_UP = 10

const { values: options } = parseArgs({
  options: {
    readings: { type: 'string', default: '100' },
    'delay-ms': { type: 'string', default: '150' },
    help: { type: 'boolean', short: 'h' },
  },
})

type Added = {
  /** After the slowest sample, as the answer itself tells it; where one never comes, after the time limit. */
  afterSample: number
  /** After the emulator's delay, or the time limit: everything that is not waiting for a model. */
  afterWait: number
}

type Case = {
  name: string
  waitMs: number
  /** Milliseconds at which the reading itself was over. */
  slowestMs: (answer: ReadResponse) => number
  prepare: () => void
}

async function bench(folder: string): Promise<void> {
  const readings = Number(options.readings)
  const delayMs = Number(options['delay-ms'])
  const emulator = await startEmulator({ delayMs })
  const vars = { ...emulatedProviders(emulator.url), READER_TIME_LIMIT_MS: String(TIME_LIMIT_MS) }
  const cases: Case[] = [
    { name: `every sample after ${delayMs} ms`, waitMs: delayMs, slowestMs: slowestSample, prepare: () => undefined },
    {
      name: `one of ten samples never, time limit ${TIME_LIMIT_MS} ms`,
      waitMs: TIME_LIMIT_MS,
      slowestMs: () => TIME_LIMIT_MS,
      prepare: () => emulator.behave('google', ['never']),
    },
  ]
  process.stderr.write('Building and starting the service\n')
  const { server, target } = await startService(folder, { vars })
  const agent = new Agent({ keepAlive: true })
  try {
    const keys = await issueKeys(target, 1, Math.ceil((cases.length * (readings + WARM_UP)) / CALLS_A_KEY), 'vk_live_')
    const nextKey = cycle(keys.flatMap((key) => Array<string>(CALLS_A_KEY).fill(key)))
    const nextLetter = cycle(readableLetters())
    for (const { name, waitMs, slowestMs, prepare } of cases) {
      const added: Added[] = []
      for (let i = -WARM_UP; i < readings; i++) {
        prepare()
        const { tookMs, answer } = await measureOne(agent, server.port, nextKey(), nextLetter())
        if (i >= 0) added.push({ afterSample: tookMs - slowestMs(answer), afterWait: tookMs - waitMs })
      }
      report(name, added)
    }
  } finally {
    agent.destroy()
    await server.stop()
    await emulator.close()
  }
}

const isRight = (json: string): boolean => json.includes('"sandbox":false')

async function measureOne(agent: Agent, port: number, key: string, text: string) {
  const body = JSON.stringify({ text })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await send(agent, port, { method: 'POST', path: '/v1/referral/read', headers, body, isRight })
  return { tookMs: answer.timing.elapsedMs, answer: ReadResponseSchema.parse(JSON.parse(answer.body)) }
}

const slowestSample = ({ readers }: ReadResponse): number =>
  Math.max(...readers.flatMap(({ samples }) => samples.map(({ ms }) => ms)))

const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN

const row = (name: string, values: readonly number[]): string =>
  `  ${name.padEnd(34)} median ${at(values, 0.5).toFixed(1)} ms, 90% within ${at(values, 0.9).toFixed(1)} ms`

function report(name: string, added: readonly Added[]): void {
  const afterSample = added.map((one) => one.afterSample)
  console.log(`${name}, ${added.length} readings`)
  console.log(row('answer after its slowest sample', afterSample))
  console.log(
    row(
      'answer after the wait itself',
      added.map((one) => one.afterWait),
    ),
  )
  if (at(afterSample, 0.5) > TARGET_MS) process.exitCode = 1
}

await runMeasurement({ help: HELP, isHelpWanted: options.help === true, refusal: null, run: bench })
