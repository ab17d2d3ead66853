// The counts of a busy organisation, and what is worked out of them for bias detection: on bare workerd, told from outside.
import { DurableObject } from 'cloudflare:workers'
import { ANOMALIES_SCHEMA } from '../../../src/organisation/bias/anomalies.store.ts'
import { compareOutcomes } from '../../../src/organisation/bias/bias.target.ts'
import { GroupCounts } from '../../../src/organisation/bias/group-counts.ts'
import { risenRates, unusualDays } from '../../../src/organisation/bias/read-anomalies.ts'
import { ENDINGS, SUM_NAMES } from '../../../src/organisation/usage/counted-call.ts'
import { latenciesToBytes } from '../../../src/organisation/usage/latency.ts'
import { DIMENSIONS } from '../../../src/organisation/usage/tally.ts'
import { UsageStore } from '../../../src/organisation/usage/usage.store.ts'
import { USAGE_SCHEMA } from '../../../src/organisation/usage/usage-tables.ts'
import { seededRandom } from '../../seeded-random.ts'
import { BUSY, CALLS_AN_HOUR, COUNTED_DAYS, LOOKS, type Look } from './looks.ts'

const HOURS = 35 * 24
/** A Monday: the watched week is whole. */
const MONDAY = 20_004

const random = seededRandom(1)

/** How `calls` ended, a fiftieth of them not well. */
function endingsOf(calls: number): number[] {
  const [failed, cancelled, blocked] = [calls / 100, calls / 200, calls / 200].map((most) =>
    Math.round(most * random()),
  )
  const others = new Map<string, number>([
    ['failed', failed ?? 0],
    ['cancelled', cancelled ?? 0],
    ['blocked', blocked ?? 0],
  ])
  const completed = calls - (failed ?? 0) - (cancelled ?? 0) - (blocked ?? 0)
  return ENDINGS.map((ending) => (ending === 'completed' ? completed : (others.get(ending) ?? 0)))
}

function fill(sql: SqlStorage): void {
  const values: Array<[dimension: (typeof DIMENSIONS)[number], value: number, share: number]> = [['all', 0, 1]]
  let id = 0
  for (const [kind, count] of Object.entries(BUSY)) {
    const dimension = DIMENSIONS.find((one) => one === kind) ?? 'all'
    for (let n = 0; n < count; n += 1) {
      id += 1
      sql.exec('INSERT INTO usage_names (id, kind, name) VALUES (?, ?, ?)', id, kind, `${kind}-${n}`)
      values.push([dimension, id, 1 / count])
    }
  }
  const last = MONDAY + 6
  const marginColumns = ['dimension', 'day', 'value', ...ENDINGS, ...SUM_NAMES]
  const insertMargin = `INSERT INTO usage_margins (${marginColumns.join(', ')}) VALUES (${marginColumns.map(() => '?').join(', ')})`
  const insertHour = `INSERT INTO usage_hours (hour, dimension, value, ${ENDINGS.join(', ')}, refused) VALUES (?, ?, ?, ${ENDINGS.map(() => '?').join(', ')}, 0)`
  for (const [dimension, value, share] of values) {
    const number = DIMENSIONS.indexOf(dimension)
    for (let day = last - COUNTED_DAYS + 1; day <= last; day += 1) {
      const calls = Math.round(CALLS_AN_HOUR * 24 * share)
      const sums = SUM_NAMES.map((name) => (name === 'requests' ? calls : name === 'cost_microeur' ? calls * 900 : 0))
      sql.exec(insertMargin, number, day, value, ...endingsOf(calls), ...sums)
    }
    for (let hour = (last + 1) * 24 - HOURS; hour < (last + 1) * 24; hour += 1) {
      sql.exec(insertHour, hour, number, value, ...endingsOf(Math.round(CALLS_AN_HOUR * share)))
    }
    if (dimension === 'model') fillLatencies(sql, value, last)
  }
  new UsageStore(sql).writeProgress({ closedThrough: last })
}

function fillLatencies(sql: SqlStorage, model: number, last: number): void {
  for (let day = last - COUNTED_DAYS + 1; day <= last; day += 1) {
    const counts = latenciesToBytes(Uint32Array.from({ length: 240 }, () => Math.floor(random() * 100)))
    sql.exec('INSERT INTO latency_days (day, model, counts) VALUES (?, ?, ?)', day, model, counts)
  }
}

/** No approvals. */
const NOTHING = { approvals: [], endedApprovals: { list: () => [] } }

/** Of the last days. */
const compare = (sql: SqlStorage, by: 'key' | 'model', days: number): unknown => {
  const last = MONDAY + 6
  const wanted = { first: last - days + 1, last, by, outcome: 'answered', reference: null } as const
  return compareOutcomes(sql, NOTHING, wanted)
}

function look(sql: SqlStorage, wanted: Look): unknown {
  const counts = new GroupCounts(sql)
  switch (wanted) {
    case 'rates':
      return [...risenRates(counts, MONDAY, (MONDAY + 7) * 24)]
    case 'days':
      return [...unusualDays(counts, MONDAY + 6)]
    case 'model':
      return compare(sql, 'model', 30)
    case 'key':
      return compare(sql, 'key', 92)
  }
}

export class Counts extends DurableObject {
  fill(): void {
    const { storage } = this.ctx
    const { sql } = storage
    storage.transactionSync(() => {
      sql.exec(USAGE_SCHEMA)
      sql.exec(ANOMALIES_SCHEMA)
      fill(sql)
    })
  }

  look(wanted: Look, times: number): void {
    for (let n = 0; n < times; n += 1) look(this.ctx.storage.sql, wanted)
  }
}

type Env = { COUNTS: DurableObjectNamespace<Counts> }

export default {
  async fetch(request, env) {
    const { searchParams } = new URL(request.url)
    const counts = env.COUNTS.getByName('busy')
    const wanted = LOOKS.find((one) => one === searchParams.get('look'))
    if (wanted === undefined) await counts.fill()
    else await counts.look(wanted, Number(searchParams.get('times')))
    return new Response(null, { status: 204 })
  },
} satisfies ExportedHandler<Env>
