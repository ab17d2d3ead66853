// What is wrong with an organisation's money and counters: each allowed decision is settled once or is open, and the month
// and the rate say what decisions and settlements add up to.
import { utcMonth } from '../../../src/platform/clock.ts'
import type { Books } from './books.ts'
import { faultIf } from './fault-if.ts'
import { decisionsIn, settlementsIn } from './decisions.ts'

export function findMoneyFaults(books: Books): string[] {
  return [...findSettlementFaults(books), ...findMonthFaults(books)]
}

function findSettlementFaults(books: Books): string[] {
  const allowed = new Map(
    decisionsIn(books)
      .filter(({ record }) => record.outcome === 'ALLOWED')
      .map((decision) => [decision.position, decision.facts.reserve_microeur]),
  )
  const settlements = settlementsIn(books)
  const times = new Map<number, number>()
  const closings = [...settlements.map(({ settles }) => settles), ...books.reservations.map(({ position }) => position)]
  for (const position of closings) times.set(position, (times.get(position) ?? 0) + 1)
  const reserved = books.reservations.filter(({ position, microeur }) => allowed.get(position) !== microeur)
  return [
    ...[...allowed.keys()]
      .filter((position) => times.get(position) !== 1)
      .map((position) => `decision ${position} is settled or open ${times.get(position) ?? 0} times`),
    ...[...times.keys()]
      .filter((position) => !allowed.has(position))
      .map((position) => `what is settled or open at ${position} is no allowed decision`),
    ...settlements
      .filter(({ position, settles }) => position <= settles)
      .map(({ position }) => `settlement ${position} is older than what it settles`),
    ...settlements
      .filter(({ ended, settles, costMicroeur }) => ended === 'interrupted' && costMicroeur !== allowed.get(settles))
      .map(({ position }) => `settlement ${position} is interrupted and does not cost all that was reserved`),
    ...reserved.map(({ position }) => `what is reserved for ${position} is not what its decision says`),
  ]
}

type Sums = { requests: number; spent_microeur: number; reserved_microeur: number }

function findMonthFaults(books: Books): string[] {
  const sums = sumMonths(books)
  const months = new Set([...sums.keys(), ...books.months.map(({ month }) => month)])
  return [...months].flatMap((month) => {
    const row = books.months.find((one) => one.month === month)
    const sum = sums.get(month)
    return MEMBERS.filter((member) => (row?.[member] ?? 0) !== (sum?.[member] ?? 0)).map(
      (member) => `${member} of month ${month} is ${row?.[member] ?? 0}, and adds up to ${sum?.[member] ?? 0}`,
    )
  })
}

const MEMBERS = ['requests', 'spent_microeur', 'reserved_microeur'] as const

/** By the month of the decision, whenever it was settled. */
function sumMonths(books: Books): Map<number, Sums> {
  const costs = new Map(settlementsIn(books).map(({ settles, costMicroeur }) => [settles, costMicroeur]))
  const reserved = new Map(books.reservations.map(({ position, microeur }) => [position, microeur]))
  const sums = new Map<number, Sums>()
  for (const { position, record } of decisionsIn(books)) {
    if (record.outcome !== 'ALLOWED') continue
    const month = utcMonth(Date.parse(record.timestamp))
    const sum = sums.get(month) ?? { requests: 0, spent_microeur: 0, reserved_microeur: 0 }
    sums.set(month, {
      requests: sum.requests + 1,
      spent_microeur: sum.spent_microeur + (costs.get(position) ?? 0),
      reserved_microeur: sum.reserved_microeur + (reserved.get(position) ?? 0),
    })
  }
  return sums
}

/** The whole organisation's calls are counted under this name. */
const WHOLE_ORGANISATION = 'organisation'

/**
 * The count lies between what must have been counted, as it was written down or answered, and what was asked for at all.
 * Calls held for the minute are numbered without a gap up to the count.
 */
export function findCountFaults({ counts }: Books, { least, most }: { least: number; most: number }): string[] {
  const counted = counts.find(({ subject }) => subject === WHOLE_ORGANISATION)?.n ?? 0
  return [
    ...faultIf(counted < least, `${counted} calls are counted of at least ${least}`),
    ...faultIf(counted > most, `${counted} calls are counted of at most ${most}`),
    ...counts
      .filter(({ n, oldest, newest, held }) => held > 0 && (newest !== n || n - (oldest ?? 0) + 1 !== held))
      .map(({ subject }) => `the calls of ${subject} are not numbered up to their count`),
  ]
}
