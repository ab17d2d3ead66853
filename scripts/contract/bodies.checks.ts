// Bodies that are not what the read route takes. Each is a clear error of its own, and none is a failure of the service.
import { callCheck, differs, type Check, type CheckSource } from './check.ts'
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
  ['a member that is not known', 'invalid_request', json({ text: UNKNOWN_LETTER, [MARK]: true })],
  ['a list', 'invalid_request', json([{ text: UNKNOWN_LETTER }])],
  ['a string', 'invalid_request', json(UNKNOWN_LETTER)],
  ['null', 'invalid_request', 'null'],
  ['nothing at all', 'invalid_request', ''],
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

export const bodyChecks: CheckSource = () => [...refusals, ...accepted]
