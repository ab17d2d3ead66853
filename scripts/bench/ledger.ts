// What the ledger costs an organisation's object: appending at several sizes, with the Merkle tree and without, its head and
// proofs, and the bytes an entry takes there and in the public log; and what signing and checking a record cost beside the
// runtime's own part of it. `npm run bench -- ledger --help`.
import { parseArgs } from 'node:util'
import { fill, measure, measureSealing, startLedger, weigh, type Cost } from './ledger/measure.ts'
import { reportPublicLog } from './ledger/public-log-report.ts'
import { SIGNATURE_WORK, type LedgerWork, type SignatureWork, type Work } from './ledger/work.ts'
import { runMeasurement } from './run-measurement.ts'
import { plainTable } from './workerd/report.ts'
import { median } from './workerd/rounds.ts'
import type { Server } from './workerd/server.ts'

const HELP = `npm run bench -- ledger [options]

  --entries LIST   how many entries there are before (1,1000); a million: npm run soak -- ledger
  --rounds N       how often each is measured; the figures are medians of the rounds (7)
  --help           this text`

const { values: options } = parseArgs({
  options: {
    entries: { type: 'string', default: '1,1000' },
    rounds: { type: 'string', default: '7' },
    help: { type: 'boolean', short: 'h' },
  },
})

const sizes = options.entries.split(',').map(Number)
const rounds = Number(options.rounds)

const isWithin = (value: number, most: number): boolean => Number.isInteger(value) && value >= 1 && value <= most
const isRunnable = isWithin(rounds, 1000) && sizes.every((size) => isWithin(size, 10_000_000))

const MEASURED: readonly LedgerWork[] = ['bare', 'append', 'head', 'inclusion', 'consistency']
const WARM_UP_ENTRIES = 1000

type Run = Cost & { work: Work; size: number }

async function measureAll(server: Server): Promise<Run[]> {
  const runs: Run[] = []
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(round === 0 ? 'Warming up\n' : `Round ${round} of ${rounds}\n`)
    for (const size of round === 0 ? [WARM_UP_ENTRIES] : sizes) {
      await fill(server, `bare-${size}-${round}`, size, 'bare')
      await fill(server, `tree-${size}-${round}`, size)
      for (const work of MEASURED) {
        const cost = await measure(server, `${work === 'bare' ? 'bare' : 'tree'}-${size}-${round}`, work)
        if (round > 0) runs.push({ work, size, ...cost })
      }
    }
    for (const work of SIGNATURE_WORK) {
      const cost = await measure(server, '', work)
      if (round > 0) runs.push({ work, size: 0, ...cost })
    }
  }
  return runs
}

function reportLedger(runs: readonly Run[]): string {
  const rows = sizes.flatMap((size) =>
    MEASURED.map((work) => {
      const those = runs.filter((run) => run.size === size && run.work === work)
      const perSecond = median(those.map((run) => run.perSecond)).toFixed(0)
      return [TITLES[work], String(size), perSecond, cpuText(those)]
    }),
  )
  return plainTable([['work', 'entries before', 'times/s', 'CPU µs'], ...rows])
}

const TITLES: Record<LedgerWork, string> = {
  bare: 'append, without the tree',
  append: 'append',
  call: 'both entries of a chat call',
  kept: 'what is kept of them',
  head: 'root of the newest head',
  inclusion: 'inclusion proof',
  consistency: 'consistency proof',
  'public leaf': 'a receipt in the public log',
  'public head': 'a receipt in the public log and a head',
}

/** Ours beside the runtime's own part of it, in the same round. */
function reportSignatures(runs: readonly Run[]): string {
  const costs = (work: SignatureWork): Run[] => runs.filter((run) => run.work === work)
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

const cpuText = (runs: readonly Run[]): string => textOf(median(runs.map(({ cpu }) => cpu ?? Number.NaN)), 1)

const textOf = (value: number, digits: number): string =>
  Number.isNaN(value) ? 'not measurable' : value.toFixed(digits)

async function reportWeight(server: Server): Promise<string> {
  const [decision, call, kept] = [
    await weigh(server, 'append'),
    await weigh(server, 'call'),
    await weigh(server, 'kept'),
  ]
  const sealed = await measureSealing(server)
  const table = plainTable([
    ['of', 'in the database', 'once its details have left', 'in sealed objects'],
    ['a referral decision', decision.toFixed(0), '', ''],
    ['a chat call', call.toFixed(0), kept.toFixed(0), (2 * sealed.bytes).toFixed(0)],
  ])
  const cpu = textOf(sealed.cpu ?? Number.NaN, 1)
  return `${table}\n\nSealing takes ${cpu} µs of CPU an entry.\n${reportYears(call, kept)}`
}

async function reportPublicWeight(server: Server): Promise<string> {
  const leaf = await weigh(server, 'public leaf')
  return reportPublicLog({ leaf, head: (await weigh(server, 'public head')) - leaf })
}

/** Details leave in the upkeep of the day on which they are a week old. */
const DAYS_AT_HAND = 8
const DATABASE_BYTES = 8 * 2 ** 30

function reportYears(call: number, kept: number): string {
  const lines = [10_000, 100_000].map((callsADay) => {
    const atHand = callsADay * DAYS_AT_HAND * (call - kept)
    const years = (DATABASE_BYTES - atHand) / (callsADay * 365 * kept)
    const parts = `${gib(atHand)} of details, ${gib(callsADay * 365 * kept)} more each year`
    return `${callsADay} calls a day: ${parts}, 8 GiB after ${years.toFixed(1)} years`
  })
  return lines.join('\n')
}

const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(2)} GiB`

async function bench(folder: string): Promise<void> {
  const server = await startLedger(folder)
  try {
    const runs = await measureAll(server)
    const weights = [await reportWeight(server), await reportPublicWeight(server)]
    console.log([reportLedger(runs), reportSignatures(runs), ...weights].join('\n\n'))
  } finally {
    await server.stop()
  }
}

const WRONG = 'Entries and rounds are whole numbers from 1.'

await runMeasurement({
  help: HELP,
  isHelpWanted: options.help === true,
  refusal: isRunnable ? null : WRONG,
  run: bench,
})
