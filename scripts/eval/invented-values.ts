// Invents identifiers of each shape, spelled as people spell them, with valid check digits.
import type { Shape } from '../../src/scanning/identifiers/identifier-shapes.ts'
import type { Random } from '../seeded-random.ts'

const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const MONTHS = 'January February March April May June July August September October November December'.split(' ')

export const digits = (random: Random, count: number): string => randomCharacters(random, count, '0123456789')

const randomCharacters = (random: Random, count: number, from: string): string =>
  Array.from({ length: count }, () => random.choose(from.split(''))).join('')

const twoDigits = (value: number): string => String(value).padStart(2, '0')

const INVENT_BY_SHAPE: Readonly<Record<Shape, (random: Random) => string>> = {
  pps_number: (random) => {
    const seven = digits(random, 7)
    const sum = weightedSum(seven, 8) + 9
    return random.choose([`${seven}${checkLetter(sum)}A`, `${seven.slice(0, 4)} ${seven.slice(4)}${checkLetter(sum)}A`])
  },
  eircode: (random) => {
    const key = random.choose(['D02', 'D6W', 'T12', 'A94', 'H91', 'V94', 'K67', 'W23', 'X91', 'F92'])
    const unique =
      randomCharacters(random, 1, 'ACDEFHKNPRTVWXY') +
      digits(random, 1) +
      randomCharacters(random, 2, 'ACDEFHKNPRTVWXY0123456789')
    return random.choose([`${key} ${unique}`, `${key}${unique}`])
  },
  date: (random) => date(random, 2024, 2026),
  date_of_birth: (random) => date(random, 1930, 2015),
  phone_number: (random) =>
    random.choose([
      `08${random.choose(['3', '5', '6', '7', '9'])} ${digits(random, 3)} ${digits(random, 4)}`,
      `08${random.choose(['5', '6', '7'])}-${digits(random, 7)}`,
      `+353 8${random.choose(['5', '6', '7'])} ${digits(random, 3)} ${digits(random, 4)}`,
      `(01) ${random.between(2, 8)}${digits(random, 2)} ${digits(random, 4)}`,
      `021 4${digits(random, 6)}`,
      `07700 900${digits(random, 3)}`,
      `+44 7700 900${digits(random, 3)}`,
      `020 7946 0${digits(random, 3)}`,
    ]),
  nhs_number: (random) => tenDigits(random, () => random.choose(['4', '6', '7', '9']) + digits(random, 8)),
  chi_number: (random) =>
    tenDigits(
      random,
      () => twoDigits(random.between(1, 28)) + twoDigits(random.between(1, 12)) + digits(random, 5),
      true,
    ),
  health_and_care_number: (random) => tenDigits(random, () => `3${random.between(2, 9)}${digits(random, 7)}`),
  email_address: (random) => {
    const local = random.choose(['aoife.kelly', 'j.murphy', 'mary_byrne', 'tom', 'niamh+gp', `pat${digits(random, 2)}`])
    return `${local}@${random.choose(['example.ie', 'mail.example.com', 'example.co.uk', 'practice.example.org'])}`
  },
  uk_postcode: (random) => {
    const outward = random.choose(['SW1A', 'M1', 'EC1A', 'B33', 'CR2', 'DN55', 'BT7', 'G12', 'EH3', 'W1A'])
    const inward = digits(random, 1) + randomCharacters(random, 2, 'ABDEFGHJLNPQRSTUWXYZ')
    return random.choose([`${outward} ${inward}`, `${outward}${inward}`])
  },
  hospital_record_number: (random) =>
    random.choose([
      `${randomCharacters(random, 1, 'CHKMR')}${digits(random, 7)}`,
      digits(random, 7),
      digits(random, 8),
    ]),
  payment_card: (random) => {
    const [beginning, length, groups] = random.choose([
      ['4', 16, [4, 4, 4, 4]],
      ['52', 16, [4, 4, 4, 4]],
      ['2221', 16, [4, 4, 4, 4]],
      ['37', 15, [4, 6, 5]],
      ['6011', 16, [4, 4, 4, 4]],
    ] as const)
    const number = withLuhn(beginning + digits(random, length - beginning.length - 1))
    return joinGroups(number, groups, random.choose(['', ' ', '-']))
  },
  iban: (random) => {
    const [country, account] = random.choose([
      ['IE', `AIBK${digits(random, 14)}`],
      ['GB', `NWBK${digits(random, 14)}`],
      ['DE', digits(random, 18)],
      ['NL', `ABNA${digits(random, 10)}`],
      ['FR', digits(random, 23)],
    ] as const)
    const iban = country + ibanCheck(country, account) + account
    return random.choose([iban, iban.replaceAll(/(.{4})(?=.)/g, '$1 ')])
  },
  aqta_key: (random) => `aqta_${randomCharacters(random, 89, BASE62)}`,
  openai_key: (random) => `sk-proj-${randomCharacters(random, 48, BASE62)}`,
  anthropic_key: (random) => `sk-ant-api03-${randomCharacters(random, 93, `${BASE62}_-`)}`,
  github_token: (random) => `ghp_${randomCharacters(random, 36, BASE62)}`,
  slack_token: (random) => `xoxb-${digits(random, 12)}-${digits(random, 12)}-${randomCharacters(random, 24, BASE62)}`,
  aws_access_key: (random) => `AKIA${randomCharacters(random, 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`,
  google_api_key: (random) => `AIza${randomCharacters(random, 35, `${BASE62}_-`)}`,
  stripe_key: (random) => `sk_live_${randomCharacters(random, 24, BASE62)}`,
  json_web_token: (random) =>
    [JSON.stringify({ alg: 'HS256' }), JSON.stringify({ sub: digits(random, 8) }), randomCharacters(random, 32, BASE62)]
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.'),
  private_key: (random) =>
    [
      '-----BEGIN PRIVATE KEY-----',
      randomCharacters(random, 64, BASE62),
      randomCharacters(random, 40, BASE62),
      '-----END PRIVATE KEY-----',
    ].join('\n'),
}

export const inventValue = (shape: Shape, random: Random): string => INVENT_BY_SHAPE[shape](random)

function date(random: Random, first: number, last: number): string {
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

const weightedSum = (figures: string, highest: number): number =>
  figures.split('').reduce((sum, figure, place) => sum + Number(figure) * (highest - place), 0)

/** Returns the check letter of a PPS number: 0 is W. */
const checkLetter = (sum: number): string => 'WABCDEFGHIJKLMNOPQRSTUV'.charAt(sum % 23)

/** Returns ten digits, of which the last is the check digit. Draws again if no check digit fits the first nine. */
function tenDigits(random: Random, nine: () => string, isGroupedAfterDate = false): string {
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

function joinGroups(figures: string, groups: readonly number[], mark: string): string {
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

function ibanCheck(country: string, account: string): string {
  const figures = `${account}${country}00`.replaceAll(/[A-Z]/g, (letter) => String(Number.parseInt(letter, 36)))
  return twoDigits(98 - Number(BigInt(figures) % 97n))
}
