// Measures the CPU time of an object's turns, proofs and start, without HTTP, after a given number of log entries.
import { join } from 'node:path'
import { median } from '../statistics.ts'
import { measureProcess } from '../process-stats.ts'
import { numberText, plainTable, verdict } from '../benchmark-report.ts'
import { withCountedService, type CountedService } from './counted-service.ts'
import { LOG_WORK, type LogWork } from './counted-worker-api.ts'

const MINUTE_MS = 60_000
const REPETITIONS = 1000
const REPETITIONS_A_CALL = 100
const STARTS = 15
/** Entries written at once. Alarms run and progress is printed between such batches. */
const FILLED_AT_ONCE = 10_000

/** Both turns of a chat may cost this many times what they cost after the fewest entries. */
const MOST_RATIO = 1.5
const MOST_START_MS = 20

const TITLES: Record<LogWork, string> = {
  chat: 'both turns of a chat',
  head: 'root of the newest head',
  inclusion: 'inclusion proof',
  consistency: 'consistency proof',
}

/** CPU microseconds: of each kind of work in each round, and of a start of the object. */
type Times = { works: Record<LogWork, number[]>; start: number }

/** Measures, and returns the report. @param sizes numbers of log entries, ascending; the ratio compares the last with the first */
export async function measureCpuTimes(folder: string, sizes: readonly number[], rounds: number): Promise<string> {
  const times: Times[] = []
  for (const size of sizes) {
    times.push(await withCountedService(join(folder, String(size)), (service) => measureAt(service, size, rounds)))
  }
  const [least, most] = [times[0], times.at(-1)]
  const row = (title: string, of: (one: Times) => number): string[] => [
    title,
    ...times.map((one) => numberText(of(one), 1)),
    least === undefined || most === undefined ? '' : numberText(of(most) / of(least), 2),
  ]
  const chatOf = ({ works }: Times): number => median(works.chat)
  const ratio = least === undefined || most === undefined ? Number.NaN : chatOf(most) / chatOf(least)
  return [
    plainTable([
      ['CPU µs of', ...sizes.map((size) => `after ${size}`), 'ratio'],
      ...LOG_WORK.map((work) => row(TITLES[work], ({ works }) => median(works[work]))),
      row('start of the object, until its first answer', ({ start }) => start),
    ]),
    verdict('both turns of a chat, after the most entries over after the fewest', ratio, MOST_RATIO).line,
    verdict('start after the most entries', (most?.start ?? Number.NaN) / 1000, MOST_START_MS, ' ms').line,
  ].join('\n')
}

async function measureAt(service: CountedService, size: number, rounds: number): Promise<Times> {
  await service.ask.chat()
  for (let done = 0; done < size; done += FILLED_AT_ONCE) {
    await service.work('chat', Math.ceil(Math.min(FILLED_AT_ONCE, size - done) / 2))
    await service.pass(MINUTE_MS)
    process.stderr.write(`\r${Math.min(size, done + FILLED_AT_ONCE)} of ${size} entries`)
  }
  process.stderr.write('\n')
  const works: Times['works'] = { chat: [], head: [], inclusion: [], consistency: [] }
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(round === 0 ? 'Warming up\n' : `Round ${round} of ${rounds}\n`)
    for (const work of LOG_WORK) {
      const cpu = await cpuOf(service, work)
      if (round > 0) works[work].push(cpu)
    }
  }
  return { works, start: await cpuOfStart(service) }
}

/** Returns the CPU microseconds of one kind of work inside the object. Its alarm first finishes earlier work. */
async function cpuOf(service: CountedService, work: LogWork): Promise<number> {
  await service.pass(MINUTE_MS)
  const { cpu } = await measureProcess(service.server.pid, async () => {
    for (let done = 0; done < REPETITIONS; done += REPETITIONS_A_CALL) await service.work(work, REPETITIONS_A_CALL)
  })
  return cpu / REPETITIONS
}

/** Returns the CPU microseconds of a start: the first answer's, less those of an answer from memory. */
async function cpuOfStart(service: CountedService): Promise<number> {
  const answer = async (): Promise<number> =>
    (await measureProcess(service.server.pid, () => service.work('head', 0))).cpu
  const starts: number[] = []
  for (let n = 0; n < STARTS; n++) {
    await service.evict()
    const first = await answer()
    starts.push(first - (await answer()))
  }
  return median(starts)
}
