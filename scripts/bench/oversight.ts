// What oversight costs, and how right its statistics are: npm run bench -- oversight --help
import { parseArgs } from 'node:util'
import { readCommandLine } from '../command-line.ts'
import { measureLooks } from './oversight/look-cost.ts'
import { simulate } from './oversight/simulate.ts'

const HELP = `npm run bench -- oversight [options]

  --anomalies   what it costs to look for anomalies and to compare groups, in a busy organisation
  --simulate    how often bias detection is wrong, and how often it finds what is there, over invented calls
  --pairs N     so many pairs of groups for each row of the simulation (1000; 4000 is what it was designed with)
  --years N     so many years, or rises of a rate, for each row of it (100)
  --seed N      of the invented calls (1)
  --help        this text`

const read = readCommandLine(() =>
  parseArgs({
    options: {
      anomalies: { type: 'boolean', default: false },
      simulate: { type: 'boolean', default: false },
      pairs: { type: 'string', default: '1000' },
      years: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }),
)

async function run(): Promise<void> {
  if (typeof read === 'string') return refuse(read)
  const { anomalies, simulate: isSimulated, help, ...counts } = read.values
  const [pairs, years, seed] = [counts.pairs, counts.years, counts.seed].map(Number)
  if (![pairs, years, seed].every((count) => Number.isSafeInteger(count) && Number(count) >= 1)) {
    return refuse('--pairs, --years and --seed are whole numbers from 1 on.')
  }
  if (help || !(anomalies || isSimulated)) return console.log(HELP)
  if (isSimulated) console.log(simulate({ pairs: Number(pairs), years: Number(years), seed: Number(seed) }))
  if (anomalies) console.log(await measureLooks())
}

function refuse(why: string): void {
  console.error(`${why}\n\n${HELP}`)
  process.exitCode = 2
}

await run()
