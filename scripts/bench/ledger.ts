// Measures what the ledger costs: rows, statements and requests of one call of each kind and of a chat's whole life, counted in
// the service itself, and the CPU of an object's turns and proofs. docs/performance.md explains the figures.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withCountedService, type CountedService } from './ledger/counted-service.ts'
import { countLife, reportLife } from './ledger/life.ts'
import { measureTimes } from './ledger/times.ts'
import { countTurns, reportTurns } from './ledger/turns.ts'
import { runMeasurement, STORAGES } from './run-measurement.ts'

const PARTS = ['turns', 'life', 'times'] as const
type Part = (typeof PARTS)[number]

const HELP = `npm run bench -- ledger [options]

  --only PART      turns: rows and statements of one call of each kind; life: of a chat's whole life and what it costs;
                   times: CPU of turns, proofs and a start (all of them)
  --chats N        how many chats live, ten a second: 36000 are an hour (36000)
  --entries LIST   how many entries there are before times are measured (1000), ascending; 1000,1000000 takes minutes
  --rounds N       how often times are measured; the figures are medians of the rounds (5)
  --storage KIND   where the databases are: memory (Linux) or disk (memory)
  --help           this text`

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    chats: { type: 'string', default: '36000' },
    entries: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    storage: { type: 'string', default: 'memory' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const parts = PARTS.filter((part) => options.only === undefined || part === options.only)
const sizes = options.entries.split(',').map(Number)
const [chats, rounds] = [Number(options.chats), Number(options.rounds)]
const storage = STORAGES.find((one) => one === options.storage)

const isWithin = (value: number, most: number): boolean => Number.isInteger(value) && value >= 1 && value <= most
const isRunnable =
  parts.length > 0 &&
  storage !== undefined &&
  isWithin(rounds, 1000) &&
  [...sizes, chats].every((size) => isWithin(size, 10_000_000))

const wants = (part: Part): boolean => parts.includes(part)

/** Turns checkpoints off. The public log signs one every minute even without entries, which is no part of a chat's life. */
const NO_CHECKPOINTS = { LOG_KEYS: '[]' }

/** A life repeats a chat that has come over HTTP. */
async function count(service: CountedService): Promise<string[]> {
  const turns = await countTurns(service)
  const reports = wants('turns') ? [reportTurns(turns)] : []
  if (!wants('life')) return reports
  const { cpuMicroseconds = Number.NaN } = turns.find(({ kind }) => kind === 'chat') ?? {}
  return [...reports, reportLife(await countLife(service, chats), cpuMicroseconds)]
}

async function bench(folder: string): Promise<void> {
  const reports: string[] = []
  if (wants('turns') || wants('life')) {
    reports.push(...(await withCountedService(join(folder, 'counted'), count, NO_CHECKPOINTS)))
  }
  if (wants('times')) reports.push(await measureTimes(join(folder, 'times'), sizes, rounds))
  console.log(reports.join('\n\n'))
}

await runMeasurement({
  help: HELP,
  isHelpWanted: options.help,
  refusal: isRunnable
    ? null
    : `Entries, chats and rounds are whole numbers from 1; parts are ${PARTS.join(', ')}; storage is memory or disk.`,
  ...(storage !== undefined && { storage }),
  run: bench,
})
