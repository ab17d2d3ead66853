// Sums what each key's readings cost in a UTC day, and lists open readings, which are not settled yet. An open reading counts
// with the cost that was reserved for it.
import { utcDay } from '../../../platform/time.ts'
import type { StateEvent } from './state-event.ts'

/** A reading that is not settled yet. `position`: of its entry. */
export type OpenReading = { position: number; keyId: string; day: number; microeur: number }

/** The cost of a key's readings in a UTC day, in micro-euro. Open readings count with their reserved cost. */
export type DayCost = { keyId: string; day: number; microeur: number }

/** Both are in ascending order: `days` by day and key, `open` by position, and so by day. */
export type Readings = { days: Map<number, Map<string, number>>; open: Map<number, OpenReading> }

/** How many days with readings are stored. A limit by date would delete too much if the clock is ahead for a moment. */
const MOST_DAYS = 8

export const createReadings = (): Readings => ({ days: new Map(), open: new Map() })

/** Returns what a key spent and reserved in the UTC day of `at`, in micro-euro. */
export const spentInDay = ({ days }: Readings, keyId: string, at: number): number =>
  days.get(utcDay(at))?.get(keyId) ?? 0

/** Lists the stored days, the latest first. */
export const listDays = ({ days }: Readings): DayCost[] =>
  [...days].toReversed().flatMap(([day, costs]) => [...costs].map(([keyId, microeur]) => ({ keyId, day, microeur })))

export const findOpenReading = ({ open }: Readings, position: number): Readonly<OpenReading> | null =>
  open.get(position) ?? null

/** Lists at most `limit` open readings, the oldest first. */
export const listOpenReadings = ({ open }: Readings, limit: number): Readonly<OpenReading>[] =>
  Array.from(open.values().take(limit))

/** Returns the UTC day of the oldest open reading; null if there is none. */
export const oldestOpenDay = ({ open }: Readings): number | null => open.values().next().value?.day ?? null

/** Lists readings begun before yesterday, which nothing will settle: at most `limit`, the oldest first. */
export const listAbandonedReadings = (readings: Readings, at: number, limit: number): Readonly<OpenReading>[] =>
  listOpenReadings(readings, limit).filter(({ day }) => day < utcDay(at) - 1)

export function applyReadings({ readings, next }: { readings: Readings; next: number }, event: StateEvent): void {
  const { days, open } = readings
  if (event.kind === 'referral_decision' && event.reservedMicroeur !== null) {
    const { keyId, reservedMicroeur: microeur } = event
    const day = utcDay(event.at)
    addCost(days, day, keyId, microeur)
    open.set(next, { position: next, keyId, day, microeur })
    for (const old of [...days.keys()].slice(0, -MOST_DAYS))
      if (![...open.values()].some((reading) => reading.day === old)) days.delete(old)
  } else if (event.kind === 'settlement') {
    const reading = open.get(event.settles)
    if (reading === undefined) return
    open.delete(event.settles)
    const { day, keyId, microeur } = reading
    if (event.outcome === 'settled') addCost(days, day, keyId, event.costMicroeur - microeur)
  }
}

/** Moves costs of later days than that of `at` to this day: the clock was ahead. */
export function clampTimesOfReadings({ readings: { days, open } }: { readings: Readings }, at: number): void {
  const today = utcDay(at)
  for (const [day, costs] of [...days].filter(([of]) => of > today)) {
    days.delete(day)
    for (const [keyId, microeur] of costs) addCost(days, today, keyId, microeur)
  }
  for (const reading of open.values()) reading.day = Math.min(reading.day, today)
}

export function addCost(days: Readings['days'], day: number, keyId: string, microeur: number): void {
  const costs = days.get(day) ?? new Map<string, number>()
  costs.set(keyId, (costs.get(keyId) ?? 0) + microeur)
  days.set(day, costs)
}
