// The whole life of calls: ten a second come, receipts go to the public log, details are put away after a week and deleted
// when their retention is over. Everything that every object writes meanwhile is counted, and what is stored is weighed
// every day. Time passes as fast as the work goes.
import { plainTable } from '../workerd/report.ts'
import type { CountedService } from './counted-service.ts'
import { sumCounts, type Counted, type Counts, type Repeated } from './counts.ts'
import { eachOf, verdict } from './turns.ts'

export type Life = {
  kind: Repeated
  times: number
  /** Of one call, by the namespace of the objects. */
  objects: Record<string, Counts>
  /** Calls of bindings for one call. */
  bindings: Record<string, number>
  /** Of one call over its life: bytes times days, in databases and in the bucket. */
  databaseByteDays: number
  fileByteDays: number
  /** Bytes of one call, by place: on the day itself, after details have been put away, and what stays for good. */
  weights: { fresh: Record<string, number>; putAway: Record<string, number>; kept: Record<string, number> }
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const REPEATED_AT_ONCE = 600

/** Details leave in the upkeep of the day on which they are a week old. */
const PUT_AWAY_DAYS = 9
/** The longest retention here, and some days in which it is noticed. */
const LIFE_DAYS: Record<Repeated, number> = { chat: 368, reading: 33 }

/** Of all objects, and calls of bindings, in a day on which nothing comes. */
export type QuietDay = { objects: Counts; bindings: Record<string, number> }

/** The public log signs its head and its checkpoint again before they are a minute old, also when nothing comes. */
export async function countQuietDay(service: CountedService): Promise<QuietDay> {
  await service.ask.chat()
  await service.pass(HOUR_MS)
  await service.takeCounts()
  await service.pass(DAY_MS)
  const { turns, bindings } = await service.takeCounts()
  return { objects: sumCounts(Object.values(turns)), bindings }
}

export async function countLife(service: CountedService, kind: Repeated, times: number): Promise<Life> {
  // What is left to be done of earlier calls is none of these.
  await service.pass(LIFE_DAYS.chat * DAY_MS)
  const before = await service.takeCounts()
  const taken: Counted[] = []
  for (let done = 0; done < times; done += REPEATED_AT_ONCE) {
    await service.repeat(kind, Math.min(REPEATED_AT_ONCE, times - done))
    process.stderr.write(`\r${kind}: ${Math.min(times, done + REPEATED_AT_ONCE)} of ${times}`)
  }
  await service.pass(HOUR_MS)
  process.stderr.write(`\n${kind}: ${LIFE_DAYS[kind]} days\n`)
  const weights: Record<string, number>[] = []
  let [databaseByteDays, fileByteDays] = [0, 0]
  for (let day = 0; day <= LIFE_DAYS[kind]; day++) {
    const counted = await service.takeCounts()
    taken.push(counted)
    const weight = weightOf(counted, before, times)
    weights.push(weight)
    databaseByteDays += sumOf(weight, isDatabase)
    fileByteDays += sumOf(weight, (place) => !isDatabase(place))
    await service.pass(DAY_MS)
  }
  return {
    kind,
    times,
    objects: countsOf(taken, times),
    bindings: bindingsOf(taken, times),
    databaseByteDays,
    fileByteDays,
    weights: { fresh: weights[0] ?? {}, putAway: weights[PUT_AWAY_DAYS] ?? {}, kept: weights.at(-1) ?? {} },
  }
}

const isDatabase = (place: string): boolean => !place.startsWith(FILES)
const FILES = 'FILES '

function weightOf(counted: Counted, before: Counted, times: number): Record<string, number> {
  const was = bytesByPlace(before)
  return Object.fromEntries(
    Object.entries(bytesByPlace(counted)).map(([place, bytes]) => [place, (bytes - (was[place] ?? 0)) / times]),
  )
}

const bytesByPlace = ({ databases, files }: Counted): Record<string, number> => ({
  ...databases,
  ...Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`${FILES}${name}`, bytes])),
})

const sumOf = (weight: Record<string, number>, isWanted: (place: string) => boolean): number =>
  Object.entries(weight).reduce((sum, [place, bytes]) => sum + (isWanted(place) ? bytes : 0), 0)

function countsOf(taken: readonly Counted[], times: number): Record<string, Counts> {
  const turns = taken.flatMap((counted) => Object.entries(counted.turns))
  const byNamespace = Map.groupBy(turns, ([turn]) => turn.split('.')[0] ?? '')
  return Object.fromEntries(
    [...byNamespace].map(([namespace, those]) => [
      namespace,
      eachOf(sumCounts(those.map(([, counts]) => counts)), times),
    ]),
  )
}

function bindingsOf(taken: readonly Counted[], times: number): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { bindings } of taken) {
    for (const [name, calls] of Object.entries(bindings)) sums[name] = (sums[name] ?? 0) + calls / times
  }
  return sums
}

export function reportQuietDay({ objects, bindings }: QuietDay): string {
  const heading = ['a day on which nothing comes', 'requests', 'statements', 'rows written', 'alarms set', 'rows read']
  const calls = Object.entries(bindings).map(([name, times]) => [name, String(times)])
  return [
    plainTable([heading, row('all objects', objects)]),
    plainTable([['calls of bindings', 'a day'], ...calls]),
  ].join('\n\n')
}

const MOST_ROWS: Record<Repeated, number | null> = { chat: 8, reading: null }

/** A row is billed for each row written and each alarm set. */
export const rowsBilled = (counts: Counts): number => counts.rowsWritten + counts.alarmsSet

function row(name: string, counts: Counts): string[] {
  const { requests, statements, rowsWritten, alarmsSet, rowsRead } = counts
  const cells = [requests, statements, rowsWritten, alarmsSet, rowsRead].map((value) => value.toFixed(3))
  return [name].concat(cells)
}

export function reportLife({ kind, times, objects, bindings, weights }: Life): string {
  const all = sumCounts(Object.values(objects))
  const rows = Object.entries(objects).map(([name, counts]) => row(name, counts))
  const heading = [`one ${kind}, of ${times}`, 'requests', 'statements', 'rows written', 'alarms set', 'rows read']
  const places = [...new Set(Object.values(weights).flatMap((weight) => Object.keys(weight)))]
  const bytes = places.map((place) => {
    const each = [weights.fresh, weights.putAway, weights.kept].map((weight) => (weight[place] ?? 0).toFixed(0))
    return [place].concat(each)
  })
  const most = MOST_ROWS[kind]
  return [
    plainTable([heading, ...rows, row('together', all)]),
    plainTable([['bytes of it', 'on the day', 'once put away', 'for good'], ...bytes]),
    plainTable([
      ['calls of bindings', 'each'],
      ...Object.entries(bindings).map(([name, each]) => [name, each.toFixed(4)]),
    ]),
    ...(most === null ? [] : [verdict(`rows written over a ${kind}'s life, alarms included`, rowsBilled(all), most)]),
  ].join('\n\n')
}
