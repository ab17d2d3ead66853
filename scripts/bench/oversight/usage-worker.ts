// An object with a year of counts, as the organisation's has them, and nothing else: it is filled, its days are folded, and it answers.
import { DurableObject } from 'cloudflare:workers'
import { ClosedDaysStore } from '../../../src/organisation/usage/closed-days.store.ts'
import { SUM_NAMES } from '../../../src/organisation/usage/counted-call.ts'
import { latenciesToBytes } from '../../../src/organisation/usage/latency.ts'
import { readAnalytics } from '../../../src/organisation/usage/read-analytics.ts'
import { UsageSumsStore } from '../../../src/organisation/usage/usage-sums.store.ts'
import { USAGE_SCHEMA } from '../../../src/organisation/usage/usage-tables.ts'
import { emptyState } from '../../../src/organisation/journal/state/state.ts'
import { findQuestion, FIRST_DAY, LAST_DAY, YEAR_DAYS, type Year } from './usage-questions.ts'

type Env = { COUNTS: DurableObjectNamespace<Counts> }

/** Up to a minute, as providers take. */
const LATENCY_BUCKETS = 206

/** More than any key, model or use case has. */
const NAMES_APART = 1000

export class Counts extends DurableObject {
  /** A year of closed days. */
  fill({ keys, models, useCases, endings }: Year): void {
    const { sql } = this.ctx.storage
    sql.exec(USAGE_SCHEMA)
    for (const [kind, [first, count]] of Object.entries({
      key: [1, keys],
      model: [NAMES_APART, models],
      use_case: [2 * NAMES_APART, useCases],
    })) {
      for (let n = 0; n < (count ?? 0); n += 1) {
        sql.exec(
          'INSERT INTO usage_names (id, kind, name) VALUES (?, ?, ?)',
          (first ?? 0) + n,
          kind,
          `${kind}-${n + 1}`,
        )
      }
    }
    const closed = new ClosedDaysStore(sql)
    const latencies = latenciesToBytes(Uint32Array.from({ length: LATENCY_BUCKETS }, (_, at) => at % 7))
    for (let day = FIRST_DAY; day <= LAST_DAY; day += 1) {
      this.ctx.storage.transactionSync(() => {
        sql.exec(
          `INSERT INTO usage_days (day, key, model, use_case, ending, ${SUM_NAMES.join(', ')})
           SELECT ?, keys.id, models.id, use_cases.id, endings.value, ${SUM_NAMES.map(() => 'abs(random() % 1000) + 1').join(', ')}
           FROM usage_names AS keys, usage_names AS models, usage_names AS use_cases, json_each(?) AS endings
           WHERE keys.kind = 'key' AND models.kind = 'model' AND use_cases.kind = 'use_case'`,
          day,
          JSON.stringify(Array.from({ length: endings }, (_, at) => at + 1)),
        )
        for (let model = 0; model < models; model += 1) {
          sql.exec(
            'INSERT INTO latency_days (day, model, counts) VALUES (?, ?, ?)',
            day,
            NAMES_APART + model,
            latencies,
          )
        }
        sql.exec('INSERT INTO counted_days (day, first, last) VALUES (?, 0, 0)', day)
        closed.fold(day)
        closed.markClosed(day, 0, new Uint8Array(32))
      })
    }
    sql.exec('INSERT INTO usage_progress (id, counted_to, closed_through, unreadable) VALUES (1, 0, ?, 0)', LAST_DAY)
  }

  /** Says how many rows an answer has. */
  answer(name: string, times: number): number {
    const question = findQuestion(name)
    if (question === undefined) throw new Error('there is no such question')
    const { days: count = YEAR_DAYS, ...asked } = question
    const days = { first: LAST_DAY - count + 1, last: LAST_DAY }
    const counted = new UsageSumsStore(this.ctx.storage.sql)
    let rows = 0
    for (let time = 0; time < times; time += 1) {
      const answer = readAnalytics(counted, emptyState(), 0, {
        ...asked,
        days,
        latencies: true,
        limit: 1000,
        after: null,
      })
      if (answer.outcome !== 'answered') throw new Error(answer.outcome)
      rows = answer.rows.length
    }
    return rows
  }

  /** Folds the last day again and again. */
  fold(times: number): number {
    const { storage } = this.ctx
    const day = LAST_DAY
    const closed = new ClosedDaysStore(storage.sql)
    for (let time = 0; time < times; time += 1) {
      storage.transactionSync(() => {
        storage.sql.exec('DELETE FROM usage_margins WHERE dimension BETWEEN 0 AND 4 AND day = ?', day)
        storage.sql.exec('DELETE FROM latency_days WHERE day = ? AND model = 0', day)
        closed.fold(day)
      })
    }
    return closed.rowsOf(day).length
  }
}

export default {
  async fetch(request, { COUNTS }) {
    const { pathname, searchParams } = new URL(request.url)
    const object = COUNTS.get(COUNTS.idFromName('counts'))
    const times = Number(searchParams.get('times') ?? 1)
    if (pathname === '/fill') {
      await object.fill(await request.json<Year>())
      return new Response(null)
    }
    const rows = pathname === '/fold' ? object.fold(times) : object.answer(searchParams.get('question') ?? '', times)
    return Response.json({ rows: await rows })
  },
} satisfies ExportedHandler<Env>
