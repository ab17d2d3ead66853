// Finds faults in an organisation's money and counters. Each allowed decision is settled at most once. The object's memory is
// what decisions, settlements and calls add up to.
import { utcDay, utcMonth } from '../../../../src/platform/time.ts'
import { type Books, faultIf } from './books.ts'
import { decisionsIn, hoursIn, openIn, settlementsIn } from './decisions.ts'
import type { Told } from './steps.ts'

export function findMoneyFaults(books: Books): string[] {
  const allowed = new Map(
    decisionsIn(books)
      .filter(({ record }) => record.outcome === 'ALLOWED')
      .map((decision) => [decision.position, decision.facts]),
  )
  const settlements = settlementsIn(books)
  const times = new Map<number, number>()
  for (const { settles } of settlements) times.set(settles, (times.get(settles) ?? 0) + 1)
  return [
    ...[...times]
      .filter(([, settled]) => settled > 1)
      .map(([position, settled]) => `decision ${position} is settled ${settled} times`),
    ...[...times.keys()]
      .filter((position) => !allowed.has(position))
      .map((position) => `what is settled at ${position} is no allowed decision`),
    ...settlements
      .filter(({ position, settles }) => position <= settles)
      .map(({ position }) => `settlement ${position} is older than what it settles`),
    ...settlements
      .filter(({ ended, settles, costMicroeur: cost, seenMicroeur: seen }) => {
        const { reserve_microeur: reserve = 0, input_microeur: input = reserve } = allowed.get(settles) ?? {}
        const isEstimate = seen !== null && input <= seen && seen <= cost && cost <= reserve
        return (ended === 'interrupted') !== isEstimate
      })
      .map(
        ({ position }) =>
          `settlement ${position} is interrupted, and does not cost from what was seen to what was reserved`,
      ),
    ...findCacheFaults(books),
  ]
}

/** Finds faults in cached answers. Each is settled with its decision, is free, and names an earlier completed call. */
function findCacheFaults(books: Books): string[] {
  const decisions = new Map(decisionsIn(books).map((decision) => [decision.position, decision]))
  const settlements = settlementsIn(books)
  const whole = settlements.filter(({ ended }) => ended === 'completed')
  const run = new Set(whole.map(({ settles }) => decisions.get(settles)?.record.attestation_id))
  return settlements
    .filter(({ ended, cachedFrom }) => ended === 'cached' || cachedFrom !== null)
    .flatMap(({ position, settles, ended, costMicroeur, cachedFrom }) => {
      const isFree = costMicroeur === 0 && decisions.get(settles)?.facts.reserve_microeur === 0
      const isTogether = ended === 'cached' && position === settles + 1
      return faultIf(!isTogether, `${position} is not settled with its decision`)
        .concat(faultIf(!isFree, `what the cache answered at ${settles} costs something`))
        .concat(faultIf(!run.has(cachedFrom ?? ''), `what the cache answered at ${settles} is of no call that was run`))
    })
}

/** Compares the object's memory of money and counts with the books. */
export function findHeldMoneyFaults(books: Books, told: Told): string[] {
  return [
    ...told.differences.map((path) => `the state is not what its events come to: ${path}`),
    ...told.differencesAtStart.map((path) => `a start does not read what all events come to: ${path}`),
    ...told.usageDifferences.map((place) => `what was counted is not what entries come to: ${place}`),
    ...faultIf(
      told.next !== books.leaves.length,
      `the next entry is ${told.next} after ${books.leaves.length} entries`,
    ),
    ...findOpenFaults(books, told),
    ...findMonthFaults(books, told),
    ...findDayFaults(books, told),
  ]
}

/** Adds the entry that an object wrote if the hour turned between its report and its end: the counts of the hour. */
export function withHourCounted(books: Books, told: Told): Told {
  const last = books.rows.at(-1)
  const isCounted = last?.kind === 'hour_counts' && last.position === told.next
  return isCounted ? { ...told, next: told.next + 1 } : told
}

function findOpenFaults(books: Books, { open }: Told): string[] {
  const written = openIn(books)
  const held = new Map(open.map(({ position, microeur }) => [position, microeur]))
  return [
    ...[...written.keys()]
      .filter((position) => !held.has(position))
      .map((position) => `decision ${position} is neither settled nor open`),
    ...[...held.keys()]
      .filter((position) => !written.has(position))
      .map((position) => `what is open at ${position} is no allowed decision that waits to be settled`),
    ...[...held]
      .filter(([position, microeur]) => written.has(position) && written.get(position) !== microeur)
      .map(([position]) => `what is reserved for ${position} is not what its decision says`),
  ]
}

type Sums = Omit<Told['months'][number], 'month'>

function findMonthFaults(books: Books, { months }: Told): string[] {
  const sums = sumMonths(books)
  const all = new Set([...sums.keys(), ...months.map(({ month }) => month)])
  return [...all].flatMap((month) => {
    const held = months.find((one) => one.month === month)
    const sum = sums.get(month)
    return MEMBERS.filter((member) => (held?.[member] ?? 0) !== (sum?.[member] ?? 0)).map(
      (member) => `${member} of month ${month} is ${held?.[member] ?? 0}, and adds up to ${sum?.[member] ?? 0}`,
    )
  })
}

const MEMBERS = ['requests', 'spentMicroeur', 'reservedMicroeur'] as const

/** By the month of the decision, whenever it was settled. */
function sumMonths(books: Books): Map<number, Sums> {
  const costs = new Map(settlementsIn(books).map(({ settles, costMicroeur }) => [settles, costMicroeur]))
  const open = openIn(books)
  const sums = new Map<number, Sums>()
  for (const { position, record } of decisionsIn(books)) {
    if (record.outcome !== 'ALLOWED') continue
    const month = utcMonth(Date.parse(record.timestamp))
    const sum = sums.get(month) ?? { requests: 0, spentMicroeur: 0, reservedMicroeur: 0 }
    sums.set(month, {
      requests: sum.requests + 1,
      spentMicroeur: sum.spentMicroeur + (costs.get(position) ?? 0),
      reservedMicroeur: sum.reservedMicroeur + (open.get(position) ?? 0),
    })
  }
  return sums
}

/** Compares the calls of the whole organisation on the last day that had any. */
function findDayFaults(books: Books, { today }: Told): string[] {
  const decided = books.rows.filter(({ kind }) => kind === 'chat_decision')
  const times = [...decided, ...countedCalls(books)].map(({ at }) => at)
  const written = times.filter((at) => utcDay(at) === today.day).length
  // Before the oldest snapshot fewer are in rows than are counted.
  const hasRetired = books.snapshots.some(({ name, before }) => name === 'oldest' && before > 0)
  const isOther = hasRetired ? written > today.calls : written !== today.calls
  return faultIf(isOther, `${today.calls} calls of the day are counted, and ${written} are written`)
}

/** Calls that count and have left no entry. */
const countedCalls = ({ calls }: Books): Books['calls'] =>
  calls.filter(({ of_gateway: ofGateway, outcome }) => ofGateway === 1 && COUNTED.has(outcome))

const COUNTED: ReadonlySet<string> = new Set(['counted', 'scope', 'closing'])

/**
 * The count lies between what must have been counted, as it was written down or answered, and what was asked for at all.
 * Calls between two entries are numbered without a gap, and an hour's counts say what was decided in it.
 */
export function findCountFaults(books: Books, { least, most }: { least: number; most: number }): string[] {
  const hours = hoursIn(books)
  const toldTo = hours.at(-1)?.position ?? -1
  const told = hours.reduce(
    (sum, { content }) => sum + content.other_calls + content.refused.scope + content.refused.closing,
    0,
  )
  const untold = countedCalls(books).filter(({ before }) => before > toldTo).length
  const counted = decisionsIn(books).length + told + untold
  const places = Map.groupBy(books.calls, ({ before }) => before)
  return [
    ...faultIf(counted < least, `${counted} calls are counted of at least ${least}`),
    ...faultIf(counted > most, `${counted} calls are counted of at most ${most}`),
    ...[...places]
      .filter(([, calls]) => calls.some(({ n }, at) => n !== at))
      .map(([before]) => `the calls before entry ${before} are not numbered from 0`),
    ...[...places.keys()]
      .filter((before) => before > books.leaves.length)
      .map((before) => `a call was counted before entry ${before}, and there are ${books.leaves.length}`),
    ...findHourFaults(books),
  ]
}

function findHourFaults(books: Books): string[] {
  const hours = hoursIn(books)
  return hours.flatMap(({ position, content }, at) => {
    const from = (hours[at - 1]?.position ?? -1) + 1
    const decided = decisionsIn(books).filter((one) => one.position >= from && one.position < position)
    const count = (outcome: string): number => decided.filter(({ record }) => record.outcome === outcome).length
    const { allowed, blocked, suppressed } = content
    const isOther = allowed !== count('ALLOWED') || blocked !== count('BLOCKED') || suppressed !== count('SUPPRESSED')
    const otherwise = faultIf(isOther, `the hour's counts ${position} are not those of its decisions`)
    if (content.from === from) return otherwise
    return [`the hour's counts ${position} begin at ${content.from}, and not at ${from}`].concat(otherwise)
  })
}
