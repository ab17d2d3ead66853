// Samples of the shapes that a scan finds, a row a shape: values for tests and contract checks, and how to invent sentences with more.
import type { IdentifierShape } from '../src/scanning/identifiers/shapes/identifiers.ts'
import type { Shape } from '../src/scanning/identifiers/shapes/index.ts'
import {
  BASE62,
  checkLetter,
  date,
  digits,
  ibanCheck,
  joinGroups,
  randomCharacters,
  tenDigits,
  twoDigits,
  weightedSum,
  withLuhn,
} from './invented-values.ts'
import type { Random } from './seeded-random.ts'

export const RANDOM = 'q7Zr2LmX9cVb4NtK8sWd3FgH6jPy1Aa5Ee0UuIiOoRrTtYy2'
export const AWS = 'Q7ZR2LMX5CVB4NTK'
const jwt = (...parts: string[]): string => parts.map((part) => btoa(part).replace(/=+$/, '')).join('.')
const pem = (label: string, body: string): string => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`
const BODY = `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n${RANDOM}==`

/** The words before a value, then the value, which is published, reserved for tests, or has a wrong check digit. */
type Specimens = { readonly specimens: readonly (readonly [label: string, identifier: string])[] }

/** `values` are found, `lookalikes` are not. Tokens are put together, so that nothing that looks for leaked ones finds any. */
type Values = { readonly values: readonly string[]; readonly lookalikes: readonly string[] }

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
    values: [
      '4111111111111111',
      '4111 1111 1111 1111',
      '4222222222222',
      '5555-5555-5555-4444',
      '2223003122003222',
      '3782 822463 10005',
      '378282246310005',
      '6011.1111.1111.1117',
      '3056 930902 5904',
      '36227206271667',
      '3530111333300000',
      '6200000000000005',
      '6759649826438453',
      '４１１１ １１１１ １１１１ １１１１',
      '4111\u00a01111\u00a01111\u00a01111',
    ],
    lookalikes: [
      '4111 1111 1111 1112',
      '4111 1111 1111 111',
      '9111111111111111',
      '1700000000000000',
      'a4111111111111111',
      '41111111111111110000000',
      '0.4111111111111111',
      '4111-1111-1111-1111-8111-4111',
    ],
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
    values: [
      'IE29 AIBK 9311 5212 3456 78',
      'IE29AIBK93115212345678',
      'ie29aibk93115212345678',
      'GB29 NWBK 6016 1331 9268 19',
      'DE89370400440532013000',
      'FR14 2004 1010 0505 0001 3M02 606',
      'NL91ABNA0417164300',
      'NO9386011117947',
      'MT84MALT011000012345MTLCAST001S',
      'LC55HEMM000100010012001200023015',
      'CH93-0076-2011-6238-5295-7',
    ],
    lookalikes: [
      'IE29 AIBK 9311 5212 3456 79',
      'IE29 AIBK 9311 5212 3456 7',
      'Ie29AIBK93115212345678',
      'ZZ29AIBK93115212345678',
      'IE29AIBK93115212345678X',
      'IE29AIBK931152123456780',
    ],
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
    values: [`aqta_1e${RANDOM}`, `sk-aqta-1e${RANDOM}`, `vk_live_1e${RANDOM}`],
    lookalikes: ['aqta_trace', 'vk_live_', `raqta_1e${RANDOM}`],
    sentences: ['The key is #', 'Use # for the gateway.'],
    invent: (random) => `aqta_${randomCharacters(random, 89, BASE62)}`,
  },
  openai_key: {
    values: [`sk-proj-${RANDOM}_-x`, `sk-${RANDOM}`, `sk-svcacct-${RANDOM}`],
    lookalikes: ['sk-SK', 'sk-fading-circle-loading-spinner-2', 'ask-questions-about-2024-and-whatever-else'],
    sentences: ['OPENAI_API_KEY=#', 'It still logs in with #.'],
    invent: (random) => `sk-proj-${randomCharacters(random, 48, BASE62)}`,
  },
  anthropic_key: {
    values: [`sk-ant-api03-${RANDOM}-AA`],
    lookalikes: ['sk-ant-hill', 'sk-ant-'],
    sentences: ['ANTHROPIC_API_KEY=#', 'The old key, #, was left in the script.'],
    invent: (random) => `sk-ant-api03-${randomCharacters(random, 93, `${BASE62}_-`)}`,
  },
  github_token: {
    values: [`ghp_${RANDOM.slice(0, 36)}`, `gho_${RANDOM.slice(0, 36)}`, `github_pat_11ABCDEFG0${RANDOM}`],
    lookalikes: ['ghp_', `ghp_${RANDOM.slice(0, 12)}`, 'github_pattern'],
    sentences: ['git clone https://#@git.example.org/a/b', 'Token: #'],
    invent: (random) => `ghp_${randomCharacters(random, 36, BASE62)}`,
  },
  slack_token: {
    values: [`xoxb-2401-2402-${RANDOM}`, `xapp-1-A01-240-${RANDOM}`],
    lookalikes: ['xoxb-team', 'xoxo-love-from-all-of-us'],
    sentences: ['The bot posts with #', 'SLACK_TOKEN="#"'],
    invent: (random) => `xoxb-${digits(random, 12)}-${digits(random, 12)}-${randomCharacters(random, 24, BASE62)}`,
  },
  aws_access_key: {
    values: [`AKIA${AWS}`, `ASIA${AWS}`],
    lookalikes: ['AKIA', 'ASIAN MARKETS IN TURMOIL', `AKIA${AWS}Q`, `AKIA${AWS.toLowerCase()}`],
    sentences: ['aws_access_key_id = #', 'Access key # is not used any more.'],
    invent: (random) => `AKIA${randomCharacters(random, 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`,
  },
  google_api_key: {
    values: [`AIza${RANDOM.slice(0, 35)}`],
    lookalikes: ['AIza', `AIza${RANDOM}`],
    sentences: ['https://maps.example.org/js?key=#', 'Maps key: #'],
    invent: (random) => `AIza${randomCharacters(random, 35, `${BASE62}_-`)}`,
  },
  stripe_key: {
    values: [`sk_live_${RANDOM}`, `rk_test_${RANDOM}`],
    lookalikes: ['sk_live_', 'sk_lives_alone', `pk_live_${RANDOM}`],
    sentences: ['STRIPE_KEY=#', 'Payments run with #.'],
    invent: (random) => `sk_live_${randomCharacters(random, 24, BASE62)}`,
  },
  json_web_token: {
    values: [jwt('{"alg":"HS256"}', '{"sub":"1234567890"}', 'a signature'), jwt('{"alg":"none"}', '{"sub":"1"}', '')],
    lookalikes: ['eyJ', btoa('{"alg":"HS256"}'), 'eyJhbGciOiJIUzI1NiJ9.profile.picture'],
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
    values: [
      pem('PRIVATE KEY', BODY),
      pem('RSA PRIVATE KEY', `Proc-Type: 4,ENCRYPTED\n\n${BODY}`),
      pem('OPENSSH PRIVATE KEY', BODY).replaceAll('\n', '\\n'),
      `-----BEGIN EC PRIVATE KEY-----\n${BODY}`,
    ],
    lookalikes: [pem('PUBLIC KEY', BODY), pem('CERTIFICATE', BODY), '-----BEGIN PRIVATE'],
    sentences: ['The key file says:\n#\nPlease replace it.', 'key: |\n#'],
    invent: (random) =>
      [
        '-----BEGIN PRIVATE KEY-----',
        randomCharacters(random, 64, BASE62),
        randomCharacters(random, 40, BASE62),
        '-----END PRIVATE KEY-----',
      ].join('\n'),
  },
} satisfies Readonly<
  Record<IdentifierShape, Specimens> & Record<Exclude<Shape, IdentifierShape>, Values> & Record<Shape, Sample>
>
