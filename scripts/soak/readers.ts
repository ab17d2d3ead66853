// Thousands of live readings on workerd over the built bundle while both providers misbehave at random. Every answer must
// be a valid one that its own samples support, and the isolate must keep no more at the end than at the beginning.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { ReadResponseSchema } from '../../src/referral/read.schema.ts'
import { runMeasurement } from '../bench/run-measurement.ts'
import { issueKeys, startService } from '../bench/service/start-service.ts'
import { startEmulator } from '../emulator/server.ts'
import { emulatedProviders } from '../local/emulated-providers.ts'
import { answerFaults } from './answer-faults.ts'
import { measureIsolateHeap } from './isolate-memory.ts'
import { readableLetters } from './reading-letters.ts'

const HELP = `npm run soak -- readers [options]

  --readings N        how many readings (10000)
  --at-once N         how many at a time (16)
  --time-limit-ms N   of a reading: what hangs is given up then (300)
  --seed N            of the misbehaviour: the same seed gives the same trouble (1)
  --help              this text`

/** A key has 60 calls a minute. */
const READINGS_A_KEY = 50
const LOOKS = 10
/** The isolate may keep this much more at the end than after the first tenth: caches that were not full by then. */
const MOST_GROWTH_BYTES = 1024 * 1024

const { values: options } = parseArgs({
  options: {
    readings: { type: 'string', default: '10000' },
    'at-once': { type: 'string', default: '16' },
    'time-limit-ms': { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h' },
  },
})

const SpecialtiesSchema = z.object({ specialties: z.array(z.object({ name: z.string() })) })

async function soak(folder: string): Promise<void> {
  const readings = Number(options.readings)
  const emulator = await startEmulator({ chaosSeed: Number(options.seed), holdLimitMs: 2_000 })
  const vars = { ...emulatedProviders(emulator.url), READER_TIME_LIMIT_MS: options['time-limit-ms'] }
  process.stderr.write('Building and starting the service\n')
  const { server, target } = await startService(folder, { vars, inspector: '127.0.0.1:0' })
  try {
    const keys = await issueKeys(target, 4, Math.ceil(readings / READINGS_A_KEY / 4) + 1, 'vk_live_')
    const published = await publishedSpecialties(server.url, keys.pop() ?? '')
    const letters = readableLetters()
    const outcomes = new Map<string, number>()
    const heaps: number[] = []
    const startedAt = performance.now()

    const readOnce = async (index: number): Promise<void> => {
      const key = keys[index % keys.length] ?? ''
      const text = letters[index % letters.length] ?? ''
      for (const outcome of await readAndCheck(server.url, key, text, published)) {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
    }
    for (let look = 1; look <= LOOKS; look++) {
      const [from, to] = [look - 1, look].map((part) => Math.floor((readings * part) / LOOKS))
      await inParallel(from ?? 0, to ?? 0, readOnce)
      heaps.push(await measureIsolateHeap(`127.0.0.1:${server.inspectorPort}`, 'main'))
      const line = `${to} readings, ${megabytes(heaps.at(-1) ?? 0)} in the isolate, ${residentOf(server.pid)} in the process`
      process.stderr.write(`${line}\n`)
    }
    report(outcomes, heaps, (performance.now() - startedAt) / 1000)
  } finally {
    await server.stop()
    await emulator.close()
  }
}

/** How the answer and its readers ended. Throws on an answer that is not right in every way. */
async function readAndCheck(url: string, key: string, text: string, published: ReadonlySet<string>): Promise<string[]> {
  const response = await fetch(`${url}/v1/referral/read`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  })
  const body = await response.text()
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${body.slice(0, 500)}`)
  const answer = ReadResponseSchema.parse(JSON.parse(body))
  const faults = answerFaults(answer, published)
  if (faults.length > 0) throw new Error(`${faults.join('; ')}: ${body}`)
  return [answer.decision, ...answer.readers.map(({ reason }) => `reader ${reason ?? 'available'}`)]
}

async function inParallel(from: number, to: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = from
  const workUntilDone = async (): Promise<void> => {
    for (let index = next++; index < to; index = next++) await work(index)
  }
  await Promise.all(Array.from({ length: Number(options['at-once']) }, workUntilDone))
}

async function publishedSpecialties(url: string, key: string): Promise<Set<string>> {
  const response = await fetch(`${url}/v1/specialties`, { headers: { authorization: `Bearer ${key}` } })
  return new Set(SpecialtiesSchema.parse(await response.json()).specialties.map(({ name }) => name))
}

function report(outcomes: ReadonlyMap<string, number>, heaps: readonly number[], seconds: number): void {
  const [first = 0, last = 0] = [heaps[0], heaps.at(-1)]
  console.log(
    `${options.readings} readings in ${seconds.toFixed(0)} s: every answer valid and supported by its samples`,
  )
  for (const [outcome, count] of [...outcomes].toSorted(([a], [b]) => a.localeCompare(b))) {
    console.log(`  ${outcome.padEnd(24)} ${count}`)
  }
  console.log(`  isolate, first tenth     ${megabytes(first)}`)
  console.log(`  isolate, end             ${megabytes(last)}`)
  if (last - first > MOST_GROWTH_BYTES) {
    console.error('The isolate kept more and more.')
    process.exitCode = 1
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(2)} MiB`

/** What the whole workerd process holds, on Linux; a dash elsewhere. */
function residentOf(pid: number): string {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return megabytes(Number(kilobytes) * 1024)
  } catch {
    return '–'
  }
}

await runMeasurement({ help: HELP, isHelpWanted: options.help === true, refusal: null, run: soak })
