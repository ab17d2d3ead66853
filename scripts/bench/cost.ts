// What a million chats and a million readings cost on the platform, factor by factor: arithmetic over what `npm run bench --
// ledger` has counted and what the platform charges. `npm run bench -- cost --help`.
import { parseArgs } from 'node:util'
import { DAYS_A_MONTH, FACTORS, usageOf, usageOfQuietDay, type Factor, type Usage } from './cost/factors.ts'
import { PRICES } from './cost/prices.ts'
import { FIGURES_FILE, readFigures, type LedgerFigures } from './ledger/figures.ts'
import { plainTable } from './workerd/report.ts'

const HELP = `npm run bench -- cost [options]

  --from FILE   what npm run bench -- ledger wrote (${FIGURES_FILE})
  --help        this text`

const { values: options } = parseArgs({
  options: { from: { type: 'string', default: FIGURES_FILE }, help: { type: 'boolean', short: 'h' } },
})

const MILLION = 1_000_000

/** Of so many times this usage. */
const dollars = (usage: Usage, factor: Factor, times: number): number =>
  (usage[factor] * times * PRICES[factor].dollars) / PRICES[factor].per

const together = (usage: Usage, times: number): string =>
  FACTORS.reduce((sum, factor) => sum + dollars(usage, factor, times), 0).toFixed(2)

function report({ turns, lives, quietDay }: LedgerFigures): string {
  const usages = [usageOf(turns.chat, lives.chat), usageOf(turns.reading, lives.reading)]
  const rows = FACTORS.map((factor) => {
    const { what, unit, dollars: price, per, source, asOf } = PRICES[factor]
    const cells = usages.flatMap((usage) => [numberText(usage[factor]), dollars(usage, factor, MILLION).toFixed(2)])
    return [`${what}, ${unit}`, `$${price} / ${perText(per)}`].concat(cells, `${source} (${asOf})`)
  })
  const total = usages.flatMap((usage) => ['', together(usage, MILLION)])
  const heading = ['factor', 'price', 'a chat', '$ a million', 'a reading', '$ a million', 'source']
  const quiet = `The public log where nothing comes, a month: $${together(usageOfQuietDay(quietDay), DAYS_A_MONTH)}`
  return `${plainTable([heading, ...rows, ['together', '', ...total, '']])}\n\n${quiet}`
}

const perText = (per: number): string => (per === 1 ? 'one' : per === MILLION ? 'million' : String(per))

/** Three digits that say something. */
const numberText = (value: number): string => (value === 0 ? '0' : String(Number(value.toPrecision(3))))

if (options.help === true) console.log(HELP)
else console.log(report(await readFigures(options.from)))
