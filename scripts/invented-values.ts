// Parts of invented values: random characters, dates, check digits and groups.
import type { Random } from './seeded-random.ts'

export const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const MONTHS = 'January February March April May June July August September October November December'.split(' ')

export const digits = (random: Random, count: number): string => randomCharacters(random, count, '0123456789')

export const randomCharacters = (random: Random, count: number, from: string): string =>
  Array.from({ length: count }, () => random.choose(from.split(''))).join('')

export const twoDigits = (value: number): string => String(value).padStart(2, '0')

export function date(random: Random, first: number, last: number): string {
  const [day, month, year] = [random.between(1, 28), random.between(1, 12), random.between(first, last)]
  const name = MONTHS[month - 1] ?? ''
  return random.choose([
    `${twoDigits(day)}/${twoDigits(month)}/${year}`,
    `${day}.${month}.${year}`,
    `${twoDigits(day)}-${twoDigits(month)}-${year}`,
    `${year}-${twoDigits(month)}-${twoDigits(day)}`,
    `${day} ${name} ${year}`,
    `${name.slice(0, 3)} ${day}, ${year}`,
    `${twoDigits(day)}/${twoDigits(month)}/${twoDigits(year % 100)}`,
  ])
}

export const weightedSum = (figures: string, highest: number): number =>
  figures.split('').reduce((sum, figure, place) => sum + Number(figure) * (highest - place), 0)

/** Returns the check letter of a PPS number: 0 is W. */
export const checkLetter = (sum: number): string => 'WABCDEFGHIJKLMNOPQRSTUV'.charAt(sum % 23)

/** Returns ten digits, of which the last is the check digit. Draws again if no check digit fits the first nine. */
export function tenDigits(random: Random, nine: () => string, isGroupedAfterDate = false): string {
  for (;;) {
    const first = nine()
    const check = (11 - (weightedSum(first, 10) % 11)) % 11
    if (check === 10) continue
    const ten = `${first}${check}`
    return isGroupedAfterDate
      ? random.choose([ten, joinGroups(ten, [6, 4], ' ')])
      : random.choose([ten, joinGroups(ten, [3, 3, 4], ' ')])
  }
}

export function joinGroups(figures: string, groups: readonly number[], mark: string): string {
  let at = 0
  return groups.map((length) => figures.slice(at, (at += length))).join(mark)
}

export function withLuhn(figures: string): string {
  const sum = figures
    .split('')
    .toReversed()
    .reduce((total, figure, place) => {
      const counted = place % 2 === 0 ? Number(figure) * 2 : Number(figure)
      return total + (counted > 9 ? counted - 9 : counted)
    }, 0)
  return `${figures}${(10 - (sum % 10)) % 10}`
}

export function ibanCheck(country: string, account: string): string {
  const figures = `${account}${country}00`.replaceAll(/[A-Z]/g, (letter) => String(Number.parseInt(letter, 36)))
  return twoDigits(98 - Number(BigInt(figures) % 97n))
}
