// What a million chats and a million readings cost on the platform, factor by factor: arithmetic over what `npm run bench --
// ledger` has counted and what the platform charges. `npm run bench -- cost --help`.
import { parseArgs } from 'node:util'
import { FACTORS, usageOf, type Factor, type Usage } from './cost/factors.ts'
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

const dollars = (usage: Usage, factor: Factor): number =>
  (usage[factor] * MILLION * PRICES[factor].dollars) / PRICES[factor].per

function report({ turns, lives }: LedgerFigures): string {
  const usages = [usageOf(turns.chat, lives.chat), usageOf(turns.reading, lives.reading)]
  const rows = FACTORS.map((factor) => {
    const { what, unit, dollars: price, per, source, asOf } = PRICES[factor]
    const cells = usages.flatMap((usage) => [numberText(usage[factor]), dollars(usage, factor).toFixed(2)])
    return [`${what}, ${unit}`, `$${price} / ${perText(per)}`, ...cells, `${source} (${asOf})`]
  })
  const total = usages.flatMap((usage) => [
    '',
    FACTORS.reduce((sum, factor) => sum + dollars(usage, factor), 0).toFixed(2),
  ])
  const heading = ['factor', 'price', 'a chat', '$ a million', 'a reading', '$ a million', 'source']
  return plainTable([heading, ...rows, ['together', '', ...total, '']])
}

const perText = (per: number): string => (per === 1 ? 'one' : per === MILLION ? 'million' : String(per))

/** Three digits that say something. */
const numberText = (value: number): string => (value === 0 ? '0' : String(Number(value.toPrecision(3))))

if (options.help === true) console.log(HELP)
else console.log(report(await readFigures(options.from)))
