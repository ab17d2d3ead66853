// Contract checks of POST /v1/referral/read: actions, the length limit, which refusal comes first, invalid bodies, and the
// deployment's own examples. Other checks send the letter and the word that are invented here.
import {
  checksOf,
  valueDifferences,
  isErrorCode,
  missingWords,
  type CheckSource,
  type ErrorCode,
  type CheckRow,
} from './contract-check.ts'
import type { Call, Deployment } from './deployment.ts'
import { schemaDifferences, memberOf } from './json-answers.ts'
import { readRouteDifferences } from './read-route-rules.ts'
import { ExamplesResponseSchema, IdentifiersSchema, type Example } from './response-schemas.ts'

/** A word in every text and name that the checks invent. No answer may contain it, because nothing sent is repeated. */
export const INVENTED_WORD = 'quillwort'

/** A letter that is no example of any deployment. It contains no identifier. */
export const UNKNOWN_LETTER = `Dear Doctor, this ${INVENTED_WORD} letter is none of the examples. I would be grateful for your opinion.`

export const postCall = (body: NonNullable<Call['body']>, contentType = 'application/json'): Call => ({
  method: 'POST',
  path: '/v1/referral/read',
  headers: { 'content-type': contentType },
  body,
})

export const readCall = (body: unknown): Call => postCall(JSON.stringify(body))

/** Returns the deployment's examples; none if the answer has another form, which a separate check reports. */
async function examplesOf(deployment: Deployment): Promise<readonly Example[]> {
  const { json } = await deployment.getOnce('/v1/examples')
  return ExamplesResponseSchema.safeParse(json).data?.examples ?? []
}

/** Returns the text of an example whose decision is yes. Throws if the deployment has none. */
async function readableText(deployment: Deployment): Promise<string> {
  const found = (await examplesOf(deployment)).find(({ expected }) => expected.decision === 'yes')
  if (found === undefined) throw new Error('GET /v1/examples has no letter with the decision yes.')
  return found.text
}

const readable =
  (action: unknown) =>
  async (deployment: Deployment): Promise<Call> =>
    readCall({ text: await readableText(deployment), action })

// The table of actions is the contract: five are held, six are allowed, and every other is unknown.
const HELD = ['choose_destination', 'submit_referral', 'assign_urgency', 'rank_suitability', 'book_appointment']
const ALLOWED = ['read', 'identify_specialty', 'list_destinations', 'compare', 'assemble_evidence', 'flag']
const UNKNOWN = {
  'one that nobody defined': `prescribe_${INVENTED_WORD}`,
  'an allowed one in capitals': 'READ',
  'a held one with a blank after it': 'choose_destination ',
  'an empty one': '',
  'a name every object has': 'constructor',
}

export const actionChecks: CheckSource = () => [
  ...checksOf(
    'held actions',
    HELD.map((action) => [
      action,
      'held',
      readCall({ action }),
      ({ json }) => valueDifferences('action', memberOf(json, 'action'), action),
    ]),
  ),
  ...checksOf(
    'allowed actions',
    [undefined, null, ...ALLOWED].map((action) => [
      action ?? `${action === null ? 'null' : 'no action'}: identify_specialty`,
      200,
      readable(action),
      async (answer, deployment) => [
        ...valueDifferences('action', memberOf(answer.json, 'action'), action ?? 'identify_specialty'),
        ...(await readRouteDifferences(answer, deployment)),
      ],
    ]),
  ),
  ...checksOf(
    'unknown actions',
    Object.entries(UNKNOWN).map(([name, action]) => [name, 'unknown_action', readable(action)]),
  ),
]

const LIMIT = 4000
const DATE = 'Seen on 14/03/2024. '
const textOf = (codePoints: number, character: string): string =>
  UNKNOWN_LETTER + character.repeat(codePoints - UNKNOWN_LETTER.length)
const TOO_LONG = textOf(LIMIT + 1, 'a')

// A sandbox key reads only examples, so a letter within the limit is refused as `not_an_example`.
const LIMITS: readonly CheckRow[] = [
  ['4,000 characters', 'not_an_example', readCall({ text: textOf(LIMIT, 'a') })],
  ['4,001 characters', 'text_too_long', readCall({ text: TOO_LONG })],
  ['4,000 code points outside the basic plane', 'not_an_example', readCall({ text: textOf(LIMIT, '🩺') })],
  ['4,001 code points outside the basic plane', 'text_too_long', readCall({ text: textOf(LIMIT + 1, '🩺') })],
]

const held = { action: 'assign_urgency' }
const unknown = { action: `diagnose_${INVENTED_WORD}` }
const ORDER: readonly CheckRow[] = [
  ['held outranks an identifier in the text', 'held', readCall({ ...held, text: DATE + UNKNOWN_LETTER })],
  ['held outranks a text that is too long', 'held', readCall({ ...held, text: TOO_LONG })],
  ['an unknown action outranks a missing text', 'unknown_action', readCall(unknown)],
  ['an unknown action outranks an identifier', 'unknown_action', readCall({ ...unknown, text: DATE + UNKNOWN_LETTER })],
  ['too long outranks an identifier', 'text_too_long', readCall({ text: DATE + TOO_LONG })],
  [
    'an identifier outranks not being an example',
    'identifier_found',
    async (deployment) => readCall({ text: DATE + (await readableText(deployment)) }),
  ],
]

export const textChecks: CheckSource = () => [
  ...checksOf('text limits', LIMITS),
  ...checksOf('order of refusals', ORDER),
]

const MAX_BYTES = 64 * 1024
const NESTED = 5000
const json = (value: unknown): string => JSON.stringify(value)
const letter = json({ text: UNKNOWN_LETTER })
const compressed = { 'content-type': 'application/json', 'content-encoding': 'gzip' }

/** Invalid bodies, each with its own error. None of them is a failure of the service. */
const REFUSED: readonly (readonly [name: string, expected: ErrorCode, body: string | Uint8Array<ArrayBuffer>])[] = [
  ['no text', 'text_missing', json({})],
  ['an empty text', 'text_missing', json({ text: '' })],
  ['a blank text', 'text_missing', json({ text: ' \n\t\u00a0 ' })],
  ['a text that is a number', 'invalid_request', json({ text: 4000 })],
  ['a text that is a list', 'invalid_request', json({ text: [UNKNOWN_LETTER] })],
  ['half of a surrogate pair', 'invalid_request', `{"text":"${INVENTED_WORD} \\ud83e"}`],
  ['an action that is a number', 'invalid_request', json({ text: UNKNOWN_LETTER, action: 5 })],
  [
    'a member whose name is a sentence',
    'invalid_request',
    json({ text: UNKNOWN_LETTER, [`the ${INVENTED_WORD}`]: true }),
  ],
  ['a list', 'invalid_request', json([{ text: UNKNOWN_LETTER }])],
  ['a string', 'invalid_request', json(UNKNOWN_LETTER)],
  ['null', 'invalid_request', 'null'],
  ['JSON cut short', 'invalid_request', `{"text": "${INVENTED_WORD}`],
  ['bytes that are not UTF-8', 'invalid_request', new Uint8Array([0x22, 0xff, 0xfe, 0x22])],
  [`${NESTED} lists in one another`, 'invalid_request', '['.repeat(NESTED) + ']'.repeat(NESTED)],
  ['64 KiB and a byte', 'payload_too_large', letter.padEnd(MAX_BYTES + 1, ' ')],
]

/** Checks that the answer's message distinguishes this fault from every other. */
const said = (name: string, expected: ErrorCode, call: Call, words: readonly string[]): CheckRow => [
  name,
  expected,
  call,
  (answer) => missingWords(json(memberOf(answer.json, 'error')), words, (word) => `the error does not say ${word}`),
]

const twice = (name: string, body: string): CheckRow => said(name, 'invalid_request', postCall(body), ['twice'])

const BODIES: readonly CheckRow[] = [
  ...REFUSED.map(([name, expected, body]): CheckRow => [name, expected, postCall(body)]),
  [
    '64 KiB and a byte, of no declared length',
    'payload_too_large',
    () => postCall(new Blob([' '.repeat(MAX_BYTES + 1)]).stream()),
  ],
  ['JSON called plain text', 'unsupported_media_type', postCall(letter, 'text/plain')],
  said('a member that is not known', 'invalid_request', readCall({ text: UNKNOWN_LETTER, urgent: true }), [
    'urgent',
    'text, action',
  ]),
  twice('a member named twice', `{"text":"${INVENTED_WORD}","text":"${INVENTED_WORD}"}`),
  twice('a member named twice, once as an escape', '{"action":"read","\\u0061ction":"flag"}'),
  twice('a held action named twice', '{"action":"flag","action":"book_appointment"}'),
  said('nothing at all', 'invalid_request', postCall(''), ['empty']),
  said('a byte-order mark', 'invalid_request', postCall(`\ufeff${letter}`), ['byte-order mark']),
  said('a body said to be compressed', 'unsupported_media_type', { ...postCall(letter), headers: compressed }, [
    'content-encoding',
  ]),
  [
    '64 KiB exactly, blanks after the JSON',
    200,
    async (deployment) => {
      const body = json({ text: await readableText(deployment) })
      return postCall(body + ' '.repeat(MAX_BYTES - new TextEncoder().encode(body).length))
    },
  ],
  [
    'application/json; charset=utf-8, line ends of another system',
    200,
    async (deployment) => {
      const text = (await readableText(deployment)).replaceAll('\n', '\r\n')
      return postCall(json({ text: `\n${text}  ` }), 'application/json; charset=utf-8')
    },
    (answer) => valueDifferences('decision', memberOf(answer.json, 'decision'), 'yes'),
  ],
  [
    'a letter that is no example',
    'not_an_example',
    postCall(letter),
    ({ text }) => missingWords(text, ['/v1/examples'], () => 'error.message does not point to /v1/examples'),
  ],
]

export const bodyChecks: CheckSource = () => checksOf('request bodies', BODIES)

const NEEDED_OUTCOMES = ['yes', 'ask', 'held', 'unknown_action', 'identifier_found']

/** Sends every example that the deployment offers, and checks the answer that it states. */
export const exampleChecks: CheckSource = async (deployment) => [
  {
    group: 'examples',
    name: 'GET /v1/examples: at least 14, of every path',
    expected: '200',
    run: async () => {
      const answer = await deployment.getOnce('/v1/examples')
      const examples = await examplesOf(deployment)
      const expectations = new Set(examples.map(({ expected }) => expected.decision ?? expected.code))
      const missing = NEEDED_OUTCOMES.filter((each) => !expectations.has(each))
      const differences = [
        ...valueDifferences('status', answer.status, 200),
        ...schemaDifferences(ExamplesResponseSchema, answer.json),
        ...missing.map((each) => `no example expects ${each}`),
        ...(examples.length >= 14 ? [] : [`there are ${examples.length}`]),
      ]
      return { got: `${answer.status}, ${examples.length} examples`, differences }
    },
  },
  ...checksOf('examples', (await examplesOf(deployment)).map(exampleRow)),
]

function exampleRow({ id, text, action, expected }: Example): CheckRow {
  const { status, decision, code, specialty, ageGroup } = expected
  const awaited = decision === 'held' ? 'held' : isErrorCode(code) ? code : status
  return [
    id,
    awaited,
    readCall({ text, ...(action === null ? {} : { action }) }),
    async (answer, deployment) => [
      ...valueDifferences('expected.status of the example', status, answer.status),
      ...(decision === null ? [] : valueDifferences('decision', memberOf(answer.json, 'decision'), decision)),
      ...(decision === 'yes' ? [] : valueDifferences('expected.specialty of the example', specialty, null)),
      ...(status === 200 ? valueDifferences('specialty', memberOf(answer.json, 'specialty'), specialty) : []),
      ...(status === 200 ? valueDifferences('ageGroup', memberOf(answer.json, 'ageGroup'), ageGroup) : []),
      ...(status === 200 ? await readRouteDifferences(answer, deployment) : []),
      ...(code === 'identifier_found'
        ? schemaDifferences(IdentifiersSchema, memberOf(answer.json, 'error', 'identifiers'))
        : []),
    ],
  ]
}
