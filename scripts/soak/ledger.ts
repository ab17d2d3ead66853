// Whether an object with a million entries behind it does what one with a thousand does at the same cost, and starts as fast:
// both in turns of its own, without the calls from outside.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startCountedService, type CountedService } from '../bench/ledger/counted-service.ts'
import { LOG_WORK, type LogWork } from '../bench/ledger/counts.ts'
import { measureStart, measureWork, type Cost } from '../bench/ledger/measure.ts'
import { runMeasurement } from '../bench/run-measurement.ts'
import { plainTable } from '../bench/workerd/report.ts'
import { median } from '../bench/workerd/rounds.ts'
import { openStorages, STORAGES } from '../bench/workerd/storage-places.ts'

const HELP = `npm run soak -- ledger [options]

  --entries N   how many entries the long ledger has (1000000)
  --rounds N    how often each is measured; the figures are medians of the rounds (9)
  --help        this text`

const { values: options } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '9' },
    help: { type: 'boolean', short: 'h' },
  },
})

const entries = Number(options.entries)
const rounds = Number(options.rounds)
const isRunnable =
  Number.isInteger(entries) && entries >= 10_000 && entries <= 10_000_000 && rounds >= 1 && rounds <= 1000

const SHORT = 1000
const MINUTE_MS = 60_000
/** Filled a part at a time, so that the progress shows. */
const PARTS = 100
/** Both turns of a chat may cost this many times what they cost in the short ledger. */
const MOST = 1.5
/** Milliseconds of CPU. */
const MOST_START = 20

type Services = { short: CountedService; long: CountedService }
type Pair = { short: Cost; long: Cost }
type Round = Record<LogWork, Pair>

/** The calls of both are those of one chat that came over HTTP. */
async function fill({ short, long }: Services): Promise<void> {
  await Promise.all([short.ask.chat(), long.ask.chat()])
  await short.work('chat', SHORT / 2)
  const chats = Math.ceil(entries / 2 / PARTS)
  for (let part = 1; part <= PARTS; part++) {
    await long.work('chat', chats)
    await long.pass(MINUTE_MS)
    process.stderr.write(`\r${(part * 100) / PARTS} % of ${entries} entries`)
  }
  process.stderr.write('\n')
}

/** Each is first in every other round. */
async function measureBoth({ short, long }: Services, work: LogWork, round: number): Promise<Pair> {
  if (round % 2 === 0) return { short: await measureWork(short, work), long: await measureWork(long, work) }
  const later = await measureWork(long, work)
  return { short: await measureWork(short, work), long: later }
}

const measureRound = async (services: Services, round: number): Promise<Round> => ({
  chat: await measureBoth(services, 'chat', round),
  head: await measureBoth(services, 'head', round),
  inclusion: await measureBoth(services, 'inclusion', round),
  consistency: await measureBoth(services, 'consistency', round),
})

function report(measured: readonly Round[]): boolean {
  const ratioOf = (work: LogWork): number =>
    median(measured.map(({ [work]: { short, long } }) => cpuOf(long) / cpuOf(short)))
  const rows = LOG_WORK.map((work) => {
    const cpu = (which: keyof Pair): string => textOf(median(measured.map((round) => cpuOf(round[work][which]))))
    return [work, cpu('short'), cpu('long'), textOf(ratioOf(work))]
  })
  console.log(plainTable([['CPU µs of', `after ${SHORT}`, `after ${entries}`, 'ratio'], ...rows]))
  const ratio = ratioOf('chat')
  console.log(`\nBoth turns of a chat cost at most ${MOST} times as much: ${outcomeOf(ratio, MOST)}`)
  return !(ratio > MOST)
}

function reportStart(start: number | null): boolean {
  const milliseconds = start ?? Number.NaN
  const outcome = outcomeOf(milliseconds, MOST_START)
  console.log(`Start until the first answer: ${textOf(milliseconds)} ms of CPU, at most ${MOST_START}: ${outcome}`)
  return !(milliseconds > MOST_START)
}

const outcomeOf = (measured: number, most: number): string =>
  Number.isNaN(measured) ? 'not measurable on this system' : measured <= most ? 'met' : 'MISSED'

const cpuOf = ({ cpu }: Cost): number => cpu ?? Number.NaN

const textOf = (value: number): string => (Number.isNaN(value) ? 'not measurable' : value.toFixed(2))

async function soak(): Promise<void> {
  // Commits are not what is measured.
  const [place] = await openStorages(STORAGES)
  const folder = place?.folder ?? ''
  const short = await startCountedService(join(folder, 'short'))
  try {
    const long = await startCountedService(join(folder, 'long'))
    try {
      const services = { short, long }
      await fill(services)
      await measureRound(services, 0)
      const measured: Round[] = []
      for (let round = 1; round <= rounds; round++) {
        process.stderr.write(`Round ${round} of ${rounds}\n`)
        measured.push(await measureRound(services, round))
      }
      const isCheap = report(measured)
      if (!reportStart(await measureStart(long)) || !isCheap) process.exitCode = 1
    } finally {
      await long.stop()
    }
  } finally {
    await short.stop()
  }
}

const WRONG = 'Entries are a whole number from 10,000 to 10,000,000; rounds one from 1.'

await runMeasurement({ help: HELP, isHelpWanted: options.help === true, refusal: isRunnable ? null : WRONG, run: soak })
