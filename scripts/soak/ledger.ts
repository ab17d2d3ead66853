// Whether appending to a ledger of a million entries costs what it costs after a thousand.
import { parseArgs } from 'node:util'
import { fill, measure, startLedger, type Cost } from '../bench/ledger/measure.ts'
import type { LedgerWork } from '../bench/ledger/work.ts'
import { runMeasurement } from '../bench/run-measurement.ts'
import { plainTable } from '../bench/workerd/report.ts'
import { median } from '../bench/workerd/rounds.ts'
import type { Server } from '../bench/workerd/server.ts'

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
/** Filled a part at a time, so that the progress shows. */
const PARTS = 20
const MEASURED = ['append', 'head', 'inclusion', 'consistency'] as const satisfies readonly LedgerWork[]
/** An append to the long ledger may cost this many times one to the short ledger. */
const MOST = 1.5

type Round = Record<(typeof MEASURED)[number], { short: Cost; long: Cost }>

async function fillLong(server: Server): Promise<void> {
  for (let part = 1; part <= PARTS; part++) {
    await fill(server, 'long', Math.ceil(entries / PARTS))
    process.stderr.write(`\r${(part * 100) / PARTS} % of ${entries} entries`)
  }
  process.stderr.write('\n')
}

/** The short ledger is a new one each round: what is measured adds a thousand entries to it. */
async function measureRound(server: Server, round: number): Promise<Round> {
  const short = `short-${round}`
  await fill(server, short, SHORT)
  // What filling leaves to be done falls on neither.
  await measure(server, short, 'head')
  // Each is first in every other round.
  const both = async (work: LedgerWork) => {
    if (round % 2 === 0) return { short: await measure(server, short, work), long: await measure(server, 'long', work) }
    const long = await measure(server, 'long', work)
    return { short: await measure(server, short, work), long }
  }
  return {
    append: await both('append'),
    head: await both('head'),
    inclusion: await both('inclusion'),
    consistency: await both('consistency'),
  }
}

function report(measured: readonly Round[]): boolean {
  const ratios = new Map(MEASURED.map((work) => [work, ratioOf(measured.map((round) => round[work]))]))
  const rows = MEASURED.map((work) => {
    const cpu = (which: 'short' | 'long'): string => textOf(median(measured.map((round) => cpuOf(round[work][which]))))
    return [work, cpu('short'), cpu('long'), textOf(ratios.get(work) ?? Number.NaN)]
  })
  console.log(plainTable([['CPU µs of', `after ${SHORT}`, `after ${entries}`, 'ratio'], ...rows]))
  const ratio = ratios.get('append') ?? Number.NaN
  const outcome = Number.isNaN(ratio) ? 'not measurable on this system' : ratio <= MOST ? 'holds' : 'MISSED'
  console.log(`\nAppending costs at most ${MOST} times as much: ${outcome}`)
  return !(ratio > MOST)
}

const ratioOf = (pairs: readonly { short: Cost; long: Cost }[]): number =>
  median(pairs.map(({ short, long }) => cpuOf(long) / cpuOf(short)))

const cpuOf = ({ cpu }: Cost): number => cpu ?? Number.NaN

const textOf = (value: number): string => (Number.isNaN(value) ? 'not measurable' : value.toFixed(2))

async function soak(folder: string): Promise<void> {
  const server = await startLedger(folder)
  try {
    await fillLong(server)
    await measureRound(server, 0)
    const measured: Round[] = []
    for (let round = 1; round <= rounds; round++) {
      process.stderr.write(`Round ${round} of ${rounds}\n`)
      measured.push(await measureRound(server, round))
    }
    if (!report(measured)) process.exitCode = 1
  } finally {
    await server.stop()
  }
}

const WRONG = 'Entries are a whole number from 10,000 to 10,000,000; rounds one from 1.'

await runMeasurement({ help: HELP, isHelpWanted: options.help === true, refusal: isRunnable ? null : WRONG, run: soak })
