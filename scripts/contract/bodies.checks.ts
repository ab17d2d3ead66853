// Bodies that are not what the read route takes. Each is a clear error of its own, and none is a failure of the service.
import { callCheck, differs, type Check, type CheckSource } from './check.ts'
import type { Call } from './deployment.ts'
import { memberOf } from './json.ts'
import { MARK, postCall, readableText, readCall, UNKNOWN_LETTER } from './letters.ts'
import type { ErrorCode } from './error-envelope.ts'

const group = 'request bodies'
const MAX_BYTES = 64 * 1024
const NESTED = 5000

const json = (value: unknown): string => JSON.stringify(value)

const REFUSED: readonly (readonly [name: string, expected: ErrorCode, body: string | Uint8Array<ArrayBuffer>])[] = [
  ['no text', 'text_missing', json({})],
  ['an empty text', 'text_missing', json({ text: '' })],
  ['a blank text', 'text_missing', json({ text: ' \n\t\u00a0 ' })],
  ['a text that is a number', 'invalid_request', json({ text: 4000 })],
  ['a text that is a list', 'invalid_request', json({ text: [UNKNOWN_LETTER] })],
  ['half of a surrogate pair', 'invalid_request', `{"text":"${MARK} \\ud83e"}`],
  ['an action that is a number', 'invalid_request', json({ text: UNKNOWN_LETTER, action: 5 })],
  ['a member whose name is a sentence', 'invalid_request', json({ text: UNKNOWN_LETTER, [`the ${MARK}`]: true })],
  ['a list', 'invalid_request', json([{ text: UNKNOWN_LETTER }])],
  ['a string', 'invalid_request', json(UNKNOWN_LETTER)],
  ['null', 'invalid_request', 'null'],
  ['JSON cut short', 'invalid_request', `{"text": "${MARK}`],
  ['bytes that are not UTF-8', 'invalid_request', new Uint8Array([0x22, 0xff, 0xfe, 0x22])],
  [`${NESTED} lists in one another`, 'invalid_request', '['.repeat(NESTED) + ']'.repeat(NESTED)],
  ['64 KiB and a byte', 'payload_too_large', json({ text: UNKNOWN_LETTER }).padEnd(MAX_BYTES + 1, ' ')],
]

const refusals: readonly Check[] = [
  ...REFUSED.map(([name, expected, body]) => callCheck({ group, name, expected, call: postCall(body) })),
  callCheck({
    group,
    name: '64 KiB and a byte, of no declared length',
    expected: 'payload_too_large',
    call: () => postCall(streamOf(' '.repeat(MAX_BYTES + 1))),
  }),
  callCheck({
    group,
    name: 'JSON called plain text',
    expected: 'unsupported_media_type',
    call: postCall(json({ text: UNKNOWN_LETTER }), 'text/plain'),
  }),
]

/** What the answer says must tell this fault from every other. */
const said = (name: string, expected: ErrorCode, call: Call, words: readonly string[]): Check =>
  callCheck({
    group,
    name,
    expected,
    call,
    examine: (answer) =>
      words
        .filter((word) => !JSON.stringify(memberOf(answer.json, 'error')).includes(word))
        .map((word) => `the error does not say ${word}`),
  })

const letter = json({ text: UNKNOWN_LETTER })
const compressed = { 'content-type': 'application/json', 'content-encoding': 'gzip' }

const named: readonly Check[] = [
  said('a member that is not known', 'invalid_request', readCall({ text: UNKNOWN_LETTER, urgent: true }), [
    'urgent',
    'text, action',
  ]),
  said('a member named twice', 'invalid_request', postCall(`{"text":"${MARK}","text":"${MARK}"}`), ['twice']),
  said(
    'a member named twice, once as an escape',
    'invalid_request',
    postCall('{"action":"read","\\u0061ction":"flag"}'),
    ['twice'],
  ),
  said('a held action named twice', 'invalid_request', postCall('{"action":"flag","action":"book_appointment"}'), [
    'twice',
  ]),
  said('nothing at all', 'invalid_request', postCall(''), ['empty']),
  said('a byte-order mark', 'invalid_request', postCall(`\ufeff${letter}`), ['byte-order mark']),
  said('a body said to be compressed', 'unsupported_media_type', { ...postCall(letter), headers: compressed }, [
    'content-encoding',
  ]),
]

const accepted: readonly Check[] = [
  callCheck({
    group,
    name: '64 KiB exactly, blanks after the JSON',
    expected: 200,
    call: async (deployment) => postCall(filledBody(await readableText(deployment))),
  }),
  callCheck({
    group,
    name: 'application/json; charset=utf-8, line ends of another system',
    expected: 200,
    call: async (deployment) => {
      const text = (await readableText(deployment)).replaceAll('\n', '\r\n')
      return postCall(json({ text: `\n${text}  ` }), 'application/json; charset=utf-8')
    },
    examine: (answer) => differs('decision', memberOf(answer.json, 'decision'), 'yes'),
  }),
  callCheck({
    group,
    name: 'a letter that is no example',
    expected: 'not_an_example',
    call: readCall({ text: UNKNOWN_LETTER }),
    examine: ({ text }) => (text.includes('/v1/examples') ? [] : ['error.message does not point to /v1/examples']),
  }),
]

function filledBody(text: string): string {
  const body = json({ text })
  return body + ' '.repeat(MAX_BYTES - new TextEncoder().encode(body).length)
}

function streamOf(text: string): ReadableStream<Uint8Array> {
  return new Blob([text]).stream()
}

export const bodyChecks: CheckSource = () => [...refusals, ...named, ...accepted]
