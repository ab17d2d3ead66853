// Samples of the shapes that a scan finds, a row a shape: specimens, sentences, and how to invent values.
import type { IdentifierShape, Shape } from '../src/scanning/identifiers/shapes/shape-table.ts'
import type { Random } from './seeded-random.ts'

const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const MONTHS = 'January February March April May June July August September October November December'.split(' ')

export const digits = (random: Random, count: number): string => randomCharacters(random, count, '0123456789')

const randomCharacters = (random: Random, count: number, from: string): string =>
  Array.from({ length: count }, () => random.choose(from.split(''))).join('')

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** The words before a value, then the value, which is published, reserved for tests, or has a wrong check digit. */
type Specimens = { readonly specimens: readonly (readonly [label: string, identifier: string])[] }

/** `sentences` have `#` in place of a value. `invent` makes one that is spelled as people spell it, with valid check digits. */
type Sample = { readonly sentences: readonly string[]; readonly invent: (random: Random) => string }

export const SHAPE_SAMPLES = {
  pps_number: {
    specimens: [
      ['PPSN ', '1234567FA'],
      ['PPS number ', '1234567T'],
    ],
    sentences: ['PPS number #.', 'Her PPSN is # as on the card.', 'Social insurance: #'],
    invent: (random) => {
      const seven = digits(random, 7)
      const sum = weightedSum(seven, 8) + 9
      return random.choose([
        `${seven}${checkLetter(sum)}A`,
        `${seven.slice(0, 4)} ${seven.slice(4)}${checkLetter(sum)}A`,
      ])
    },
  },
  eircode: {
    specimens: [
      ['Eircode ', 'A65 F4E2'],
      ['Eircode: ', 'A65F4E2'],
    ],
    sentences: ['14 Mill Road, Naas, #', 'Eircode: #', 'They have moved to # near the school.'],
    invent: (random) => {
      const key = random.choose(['D02', 'D6W', 'T12', 'A94', 'H91', 'V94', 'K67', 'W23', 'X91', 'F92'])
      const unique =
        randomCharacters(random, 1, 'ACDEFHKNPRTVWXY') +
        digits(random, 1) +
        randomCharacters(random, 2, 'ACDEFHKNPRTVWXY0123456789')
      return random.choose([`${key} ${unique}`, `${key}${unique}`])
    },
  },
  date: {
    specimens: [
      ['seen on ', '14/03/2024'],
      ['reviewed on ', '14 March 2024'],
      ['scan of ', '2024-03-14'],
    ],
    sentences: ['Seen in clinic on #.', 'Bloods of # were normal.', 'The next appointment is #, in the morning.'],
    invent: (random) => date(random, 2024, 2026),
  },
  date_of_birth: {
    specimens: [
      ['DOB ', '01/01/1970'],
      ['date of birth ', '1 January 1970'],
    ],
    sentences: ['DOB #', 'Date of birth: #', 'She was born on # in Sligo.'],
    invent: (random) => date(random, 1930, 2015),
  },
  phone_number: {
    specimens: [
      ['tel. ', '01632 960123'],
      ['mobile ', '07700 900123'],
      ['or ', '+44 20 7946 0123'],
    ],
    sentences: ['Tel: #', 'You can reach him at # after six.', 'Please ring # to confirm.'],
    invent: (random) =>
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
  },
  nhs_number: {
    specimens: [
      ['NHS number ', '943 476 5919'],
      ['NHS no. ', '9434765919'],
    ],
    sentences: ['NHS number: #', 'NHS no. #', 'Registered as # with the practice.'],
    invent: (random) => tenDigits(random, () => random.choose(['4', '6', '7', '9']) + digits(random, 8)),
  },
  chi_number: {
    specimens: [['CHI number ', '010170 1234']],
    sentences: ['CHI #', 'CHI number: #', 'Known in Glasgow as #.'],
    invent: (random) =>
      tenDigits(
        random,
        () => twoDigits(random.between(1, 28)) + twoDigits(random.between(1, 12)) + digits(random, 5),
        true,
      ),
  },
  health_and_care_number: {
    specimens: [
      ['H&C number ', '320 000 0014'],
      ['Health and Care number ', '3200000014'],
    ],
    sentences: ['H&C number #', 'Health and Care no. #', 'On the Belfast system as #.'],
    invent: (random) => tenDigits(random, () => `3${random.between(2, 9)}${digits(random, 7)}`),
  },
  email_address: {
    specimens: [
      ['e-mail ', 'patient@example.com'],
      ['or ', 'the.patient@mail.example.org'],
    ],
    sentences: ['E-mail: #', 'Write to # with the result.', 'Copied to <#>'],
    invent: (random) => {
      const local = random.choose([
        'aoife.kelly',
        'j.murphy',
        'mary_byrne',
        'tom',
        'niamh+gp',
        `pat${digits(random, 2)}`,
      ])
      return `${local}@${random.choose(['example.ie', 'mail.example.com', 'example.co.uk', 'practice.example.org'])}`
    },
  },
  uk_postcode: {
    specimens: [
      ['postcode ', 'GIR 0AA'],
      ['postcode ', 'SW1A 1AA'],
    ],
    sentences: ['9 Hill Street, #', 'Postcode #', 'He lives at # now.'],
    invent: (random) => {
      const outward = random.choose(['SW1A', 'M1', 'EC1A', 'B33', 'CR2', 'DN55', 'BT7', 'G12', 'EH3', 'W1A'])
      const inward = digits(random, 1) + randomCharacters(random, 2, 'ABDEFGHJLNPQRSTUWXYZ')
      return random.choose([`${outward} ${inward}`, `${outward}${inward}`])
    },
  },
  hospital_record_number: {
    specimens: [
      ['MRN ', '123456'],
      ['hospital number ', 'RV123456'],
    ],
    sentences: ['MRN #', 'Chart no: #', 'Hospital number #.'],
    invent: (random) =>
      random.choose([
        `${randomCharacters(random, 1, 'CHKMR')}${digits(random, 7)}`,
        digits(random, 7),
        digits(random, 8),
      ]),
  },
  payment_card: {
    sentences: ['The fee was paid with card #.', 'Card: #', 'Please charge # for the report.'],
    invent: (random) => {
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
  },
  iban: {
    sentences: ['Refund to #.', 'IBAN: #', 'Pay into # by Friday.'],
    invent: (random) => {
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
  },
  aqta_key: {
    sentences: ['The key is #', 'Use # for the gateway.'],
    invent: (random) => `aqta_${randomCharacters(random, 89, BASE62)}`,
  },
  openai_key: {
    sentences: ['OPENAI_API_KEY=#', 'It still logs in with #.'],
    invent: (random) => `sk-proj-${randomCharacters(random, 48, BASE62)}`,
  },
  anthropic_key: {
    sentences: ['ANTHROPIC_API_KEY=#', 'The old key, #, was left in the script.'],
    invent: (random) => `sk-ant-api03-${randomCharacters(random, 93, `${BASE62}_-`)}`,
  },
  github_token: {
    sentences: ['git clone https://#@git.example.org/a/b', 'Token: #'],
    invent: (random) => `ghp_${randomCharacters(random, 36, BASE62)}`,
  },
  slack_token: {
    sentences: ['The bot posts with #', 'SLACK_TOKEN="#"'],
    invent: (random) => `xoxb-${digits(random, 12)}-${digits(random, 12)}-${randomCharacters(random, 24, BASE62)}`,
  },
  aws_access_key: {
    sentences: ['aws_access_key_id = #', 'Access key # is not used any more.'],
    invent: (random) => `AKIA${randomCharacters(random, 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`,
  },
  google_api_key: {
    sentences: ['https://maps.example.org/js?key=#', 'Maps key: #'],
    invent: (random) => `AIza${randomCharacters(random, 35, `${BASE62}_-`)}`,
  },
  stripe_key: {
    sentences: ['STRIPE_KEY=#', 'Payments run with #.'],
    invent: (random) => `sk_live_${randomCharacters(random, 24, BASE62)}`,
  },
  json_web_token: {
    sentences: ['Authorization: Bearer #', 'The session was # then.'],
    invent: (random) =>
      [
        JSON.stringify({ alg: 'HS256' }),
        JSON.stringify({ sub: digits(random, 8) }),
        randomCharacters(random, 32, BASE62),
      ]
        .map((part) => Buffer.from(part).toString('base64url'))
        .join('.'),
  },
  private_key: {
    sentences: ['The key file says:\n#\nPlease replace it.', 'key: |\n#'],
    invent: (random) =>
      [
        '-----BEGIN PRIVATE KEY-----',
        randomCharacters(random, 64, BASE62),
        randomCharacters(random, 40, BASE62),
        '-----END PRIVATE KEY-----',
      ].join('\n'),
  },
} satisfies Readonly<Record<IdentifierShape, Specimens> & Record<Shape, Sample>>

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

function withLuhn(figures: string): string {
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
