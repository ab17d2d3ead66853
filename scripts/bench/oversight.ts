// What oversight costs, and how right its statistics are: npm run bench -- oversight --help
import { parseArgs } from 'node:util'
import { readCommandLine } from '../command-line.ts'
import { measureExport } from './oversight/export.ts'
import { measureLooks } from './oversight/look-cost.ts'
import { simulate } from './oversight/simulate.ts'
import { measureUsage } from './oversight/usage.ts'
import { runMeasurement } from './run-measurement.ts'

const HELP = `npm run bench -- oversight [options]

  --anomalies   what it costs to look for anomalies and to compare groups, in a busy organisation
  --export      an export of audit entries: time, memory, how long calls of the same organisation take beside it, checking it
  --entries N   how many entries the organisation of the export has (1000000)
  --simulate    how often bias detection is wrong, and how often it finds what is there, over invented calls
  --pairs N     so many pairs of groups for each row of the simulation (1000; 4000 is what it was designed with)
  --years N     so many years, or rises of a rate, for each row of it (100)
  --seed N      of the invented calls (1)
  --usage       what it costs to answer about a year of calls, from what was counted of them
  --help        this text`

const read = readCommandLine(() =>
  parseArgs({
    options: {
      anomalies: { type: 'boolean', default: false },
      export: { type: 'boolean', default: false },
      entries: { type: 'string', default: '1000000' },
      simulate: { type: 'boolean', default: false },
      pairs: { type: 'string', default: '1000' },
      years: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      usage: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }),
)

async function run(): Promise<void> {
  if (typeof read === 'string') return refuse(read)
  const { anomalies, export: isExported, simulate: isSimulated, usage, help, ...counts } = read.values
  const [entries, pairs, years, seed] = [counts.entries, counts.pairs, counts.years, counts.seed].map(Number)
  if (![entries, pairs, years, seed].every((count) => Number.isSafeInteger(count) && Number(count) >= 1)) {
    return refuse('--entries, --pairs, --years and --seed are whole numbers from 1 on.')
  }
  if (help || !(anomalies || isExported || isSimulated || usage)) return console.log(HELP)
  if (isSimulated) console.log(simulate({ pairs: Number(pairs), years: Number(years), seed: Number(seed) }))
  if (anomalies) console.log(await measureLooks())
  if (usage) await runIn(async (folder) => console.log(await measureUsage(folder)))
  if (isExported) await runExport(Number(entries))
}

const runExport = (entries: number): Promise<void> =>
  runIn(async (folder) => {
    if (!(await measureExport(folder, entries))) process.exitCode = 1
  })

const runIn = (work: (folder: string) => Promise<void>): Promise<void> =>
  runMeasurement({ help: HELP, isHelpWanted: false, refusal: null, run: work })

function refuse(why: string): void {
  console.error(`${why}\n\n${HELP}`)
  process.exitCode = 2
}

await run()
