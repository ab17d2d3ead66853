// Prompt injection rule: an attack in base64, hexadecimal or ROT13, which only the model reads, or a request to decode one.
import { someMatchInSteps, type Steps } from '../../../platform/computation-steps.ts'
import { gap, phrase, phrases, type Passage, type InjectionRule } from './injection-rule.ts'

const SHORTEST_RUN = 20
/** Longer runs are files. */
const LONGEST_RUN = 65_536
/** `run` matches a stretch of encoded characters, and `begins` the first of them, if the run may be long enough. */
type Encoding = { begins: RegExp; run: RegExp; decode: (run: string) => string | null }

const BASE64: Encoding = {
  begins: /(?<![\w+/=-])[\w+/-]{20}/g,
  run: /[\w+/-]{20,65536}={0,2}/y,
  decode: fromBase64,
}
const HEX: Encoding = {
  begins: /(?<![0-9a-f])(?:[0-9a-f]{2}){10}/gi,
  run: /(?:[0-9a-f]{2}){10,32768}(?![0-9a-f])/iy,
  decode: fromHex,
}

const DECODE = [
  'decode',
  'decrypt',
  'decipher',
  'decoded',
  'decoding',
  'base64',
  'hexadecimal',
  'hex',
  'rot13',
  'rot 13',
]
const DO_IT =
  '(?:do what|do as|follow|execute|obey|carry out|act on|act upon|comply with|perform|respond to|answer)(?: (?:it|this|that|the|its|says?|any)){0,2}(?: (?:decoded|result|message|request|instructions?|command|task|text|question))?'

const ROTATED = / rot ?13 /g

export const ENCODED_INSTRUCTION: InjectionRule = {
  says: 'The text hides another that meets a rule, in base64, hexadecimal or ROT13, or tells the model to decode a text and to do what it says.',
  phrases: phrases(
    phrase([...DECODE, 'morse', 'cipher'], `${gap(10)}(?: [.:])?${gap(4)} ${DO_IT}`),
    phrase(
      ['follow', 'execute', 'obey', 'carry out', 'act on', 'perform'],
      '(?: (?:the|this|these|its|what|it)){0,2} (?:decoded|encoded|base64|hidden)',
    ),
  ),
  holds: function* ({ prepared: { text, words, longestWord }, hasPhrase }) {
    const isRotated = text.includes('13') && (yield* someMatchInSteps(words, ROTATED, SHORTEST_RUN))
    if (isRotated && (yield* hasPhrase(yield* rotate13(text)))) return true
    if (longestWord < SHORTEST_RUN) return false
    return (yield* hidesAttack(text, BASE64, hasPhrase)) || (yield* hidesAttack(text, HEX, hasPhrase))
  },
}

function* hidesAttack(
  text: string,
  { begins, run, decode }: Encoding,
  hasPhrase: Passage['hasPhrase'],
): Steps<boolean> {
  const starts: number[] = []
  yield* someMatchInSteps(text, begins, SHORTEST_RUN, ({ index }, first) => {
    starts.push(first + index)
    return false
  })
  for (const start of starts) {
    run.lastIndex = start
    const [encoded = ''] = run.exec(text) ?? []
    yield SHORTEST_RUN + encoded.length / 16
    const decoded = encoded === '' || encoded.length > LONGEST_RUN ? null : decode(encoded)
    if (decoded !== null && (yield* hasPhrase(decoded))) return true
  }
  return false
}

function fromBase64(run: string): string | null {
  const standard = run.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  const whole = standard.length % 4 === 1 ? standard.slice(0, -1) : standard
  const decoded = atob(whole)
  const bytes = new Uint8Array(decoded.length)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = decoded.charCodeAt(at)
  return toText(bytes)
}

function fromHex(run: string): string | null {
  const bytes = new Uint8Array(run.length / 2)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(run.slice(2 * at, 2 * at + 2), 16)
  return toText(bytes)
}

/** Returns null if the bytes are no text. */
function toText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

/** How many characters a step rotates. */
const ROTATED_AT_ONCE = 4_096

function* rotate13(text: string): Steps<string> {
  let rotated = ''
  for (let from = 0; from < text.length; from += ROTATED_AT_ONCE) {
    rotated += text.slice(from, from + ROTATED_AT_ONCE).replace(/[a-z]/gi, (letter) => {
      const first = letter <= 'Z' ? 0x41 : 0x61
      return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first)
    })
    yield ROTATED_AT_ONCE / 2
  }
  return rotated
}
