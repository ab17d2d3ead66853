// What the ledger costs: the rows, statements and requests of one call of each kind and of its whole life, counted in the
// service itself; the CPU of an object's turns and of its proofs; and what signing, checking and sealing cost.
// `npm run bench -- ledger --help`.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startCountedService, type CountedService } from './ledger/counted-service.ts'
import { LOG_WORK, type LogWork, type Repeated } from './ledger/counts.ts'
import { FIGURES_FILE, writeFigures } from './ledger/figures.ts'
import { countLife, countQuietDay, reportLife, reportQuietDay } from './ledger/life.ts'
import { measureSealing, measureSigning, measureStart, measureWork, startSigning, type Cost } from './ledger/measure.ts'
import { countTurns, reportTurns, type TurnCounts } from './ledger/turns.ts'
import { SIGNATURE_WORK, type SignatureWork } from './ledger/work.ts'
import { runMeasurement } from './run-measurement.ts'
import { plainTable } from './workerd/report.ts'
import { median } from './workerd/rounds.ts'
import { openStorages, STORAGES } from './workerd/storage-places.ts'

const PARTS = ['turns', 'life', 'times', 'signatures'] as const
type Part = (typeof PARTS)[number]

const HELP = `npm run bench -- ledger [options]

  --only PART      turns: rows and statements of one call of each kind; life: of a call's whole life; times: CPU of turns and
                   proofs; signatures: of records and of sealing (all of them)
  --chats N        how many chats live, ten a second: 36000 are an hour (36000)
  --readings N     how many readings live (2000)
  --entries LIST   how many entries there are before times are measured (1000); a million: npm run soak -- ledger
  --rounds N       how often times are measured; the figures are medians of the rounds (5)
  --write FILE     where the figures of turns and lives are written, for npm run bench -- cost (${FIGURES_FILE})
  --help           this text`

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    chats: { type: 'string', default: '36000' },
    readings: { type: 'string', default: '2000' },
    entries: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    write: { type: 'string', default: FIGURES_FILE },
    help: { type: 'boolean', short: 'h' },
  },
})

const parts = PARTS.filter((part) => options.only === undefined || part === options.only)
const sizes = options.entries.split(',').map(Number)
const rounds = Number(options.rounds)
const lives: Record<Repeated, number> = { chat: Number(options.chats), reading: Number(options.readings) }

const isWithin = (value: number, most: number): boolean => Number.isInteger(value) && value >= 1 && value <= most
const isRunnable =
  parts.length > 0 &&
  isWithin(rounds, 1000) &&
  [...sizes, lives.chat, lives.reading].every((size) => isWithin(size, 10_000_000))

const wants = (part: Part): boolean => parts.includes(part)

async function withService<T>(
  folder: string,
  work: (service: CountedService) => Promise<T>,
  vars?: Record<string, string>,
): Promise<T> {
  const service = await startCountedService(folder, vars)
  try {
    return await work(service)
  } finally {
    await service.stop()
  }
}

async function count(folder: string): Promise<string[]> {
  const counted = await withService(join(folder, 'calls'), countCalls, NO_CHECKPOINTS)
  const reports = [reportTurns(counted.turns)]
  if (counted.lives === null) return reports
  const { chat, reading } = counted.lives
  const quietDay = await withService(join(folder, 'quiet'), countQuietDay)
  const turns = { chat: turnOf(counted.turns, 'chat'), reading: turnOf(counted.turns, 'reading') }
  await writeFigures(options.write, { turns, lives: { chat, reading }, quietDay })
  return [...reports, reportLife(chat), reportLife(reading), reportQuietDay(quietDay), `Written to ${options.write}`]
}

/** A checkpoint a minute for a year is no part of a call's life: a day of them is counted by itself. */
const NO_CHECKPOINTS = { LOG_KEYS: '[]' }

/** Lives repeat what has come over HTTP. */
async function countCalls(service: CountedService) {
  const turns = await countTurns(service)
  if (!wants('life')) return { turns, lives: null }
  const chat = await countLife(service, 'chat', lives.chat)
  return { turns, lives: { chat, reading: await countLife(service, 'reading', lives.reading) } }
}

function turnOf(turns: readonly TurnCounts[], kind: Repeated): TurnCounts {
  const found = turns.find((one) => one.kind === kind)
  if (found === undefined) throw new Error(`no ${kind} was counted`)
  return found
}

type TimeRun = Cost & { work: LogWork; size: number }

async function measureTimes(folder: string): Promise<string> {
  const runs: TimeRun[] = []
  const starts: { size: number; milliseconds: number | null }[] = []
  for (const size of sizes) {
    await withService(join(folder, String(size)), async (service) => {
      await service.ask.chat()
      await service.work('chat', Math.ceil(size / 2))
      for (let round = 0; round <= rounds; round++) {
        process.stderr.write(round === 0 ? 'Warming up\n' : `Round ${round} of ${rounds}\n`)
        for (const work of LOG_WORK) {
          const cost = await measureWork(service, work)
          if (round > 0) runs.push({ work, size, ...cost })
        }
      }
      starts.push({ size, milliseconds: await measureStart(service) })
    })
  }
  const rows = sizes.flatMap((size) =>
    LOG_WORK.map((work) => {
      const those = runs.filter((run) => run.size === size && run.work === work)
      return [TITLES[work], String(size), median(those.map(({ perSecond }) => perSecond)).toFixed(0), cpuText(those)]
    }),
  )
  const started = starts.map(({ size, milliseconds }) => [
    'start of the object, until its first answer',
    String(size),
    '',
    milliseconds === null ? 'not measurable' : (milliseconds * 1000).toFixed(0),
  ])
  return plainTable([['work', 'entries before', 'times/s', 'CPU µs'], ...rows, ...started])
}

const TITLES: Record<LogWork, string> = {
  chat: 'both turns of a chat',
  head: 'root of the newest head',
  inclusion: 'inclusion proof',
  consistency: 'consistency proof',
}

type SignatureRun = Cost & { work: SignatureWork }

async function measureSignatures(folder: string): Promise<string> {
  const server = await startSigning(folder)
  try {
    const runs: SignatureRun[] = []
    for (let round = 0; round <= rounds; round++) {
      for (const work of SIGNATURE_WORK) {
        const cost = await measureSigning(server, work)
        if (round > 0) runs.push({ work, ...cost })
      }
    }
    const sealed = await measureSealing(server)
    const sealing = `Sealing takes ${textOf(sealed.cpu ?? Number.NaN, 1)} µs of CPU an entry, and ${sealed.bytes.toFixed(0)} bytes.`
    return `${reportSignatures(runs)}\n\n${sealing}`
  } finally {
    await server.stop()
  }
}

/** Ours beside the runtime's own part of it, in the same round. */
function reportSignatures(runs: readonly SignatureRun[]): string {
  const costs = (work: SignatureWork): SignatureRun[] => runs.filter((run) => run.work === work)
  const row = (title: string, work: SignatureWork, native: SignatureWork): string[] => {
    const ratios = costs(work).map((run, at) => (run.cpu ?? Number.NaN) / (costs(native)[at]?.cpu ?? Number.NaN))
    return [title, cpuText(costs(work)), cpuText(costs(native)), textOf(median(ratios), 2)]
  }
  return plainTable([
    ['a record', 'CPU µs', 'native, CPU µs', 'ratio'],
    row('signed', 'sign', 'native sign'),
    row('checked', 'verify', 'native verify'),
  ])
}

const cpuText = (runs: readonly Cost[]): string => textOf(median(runs.map(({ cpu }) => cpu ?? Number.NaN)), 1)

const textOf = (value: number, digits: number): string =>
  Number.isNaN(value) ? 'not measurable' : value.toFixed(digits)

async function bench(): Promise<void> {
  // Rows are the same wherever they are written.
  const [place] = await openStorages(STORAGES)
  const folder = place?.folder ?? ''
  const reports: string[] = []
  if (wants('turns') || wants('life')) reports.push(...(await count(join(folder, 'counted'))))
  if (wants('times')) reports.push(await measureTimes(join(folder, 'times')))
  if (wants('signatures')) reports.push(await measureSignatures(join(folder, 'signatures')))
  console.log(reports.join('\n\n'))
}

const WRONG = `Entries, chats, readings and rounds are whole numbers from 1; parts are ${PARTS.join(', ')}.`

await runMeasurement({
  help: HELP,
  isHelpWanted: options.help === true,
  refusal: isRunnable ? null : WRONG,
  run: bench,
})
