import { gap, phrase, phrases } from './phrases.ts'
import type { Passage, Rule } from './rule.ts'

const LEAST = 20
/** Longer runs are files. */
const MOST = 65_536
const BASE64_RUN = /(?<![\w+/=-])[\w+/-]{20,65536}={0,2}/g
const HEX_RUN = /(?<![0-9a-f])(?:[0-9a-f]{2}){10,32768}(?![0-9a-f])/gi

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

const ROTATED = / rot ?13 /

/** Encoding has one use here: to be read by the model and by nobody before it. */
export const ENCODED_INSTRUCTION: Rule = {
  says: 'The text hides another that meets a rule, in base64, hexadecimal or ROT13, or tells the model to decode a text and to do what it says.',
  phrases: phrases(
    phrase([...DECODE, 'morse', 'cipher'], `${gap(10)}(?: [.:])?${gap(4)} ${DO_IT}`),
    phrase(
      ['follow', 'execute', 'obey', 'carry out', 'act on', 'perform'],
      '(?: (?:the|this|these|its|what|it)){0,2} (?:decoded|encoded|base64|hidden)',
    ),
  ),
  holds: ({ reading: { text, words, longestWord }, hasPhrase }) => {
    if (text.includes('13') && ROTATED.test(words) && hasPhrase(rotate13(text))) return true
    if (longestWord < LEAST) return false
    return hidesAttack(text, BASE64_RUN, fromBase64, hasPhrase) || hidesAttack(text, HEX_RUN, fromHex, hasPhrase)
  },
}

function hidesAttack(
  text: string,
  runs: RegExp,
  decode: (run: string) => string | null,
  hasPhrase: Passage['hasPhrase'],
): boolean {
  for (const [run] of text.matchAll(runs)) {
    const decoded = run.length > MOST ? null : decode(run)
    if (decoded !== null && hasPhrase(decoded)) return true
  }
  return false
}

function fromBase64(run: string): string | null {
  const standard = run.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  const whole = standard.length % 4 === 1 ? standard.slice(0, -1) : standard
  return toText(Uint8Array.from(atob(whole), (byte) => byte.charCodeAt(0)))
}

const fromHex = (run: string): string | null =>
  toText(Uint8Array.from({ length: run.length / 2 }, (_, at) => Number.parseInt(run.slice(2 * at, 2 * at + 2), 16)))

/** null where it is no text. */
function toText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

const rotate13 = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const first = letter <= 'Z' ? 0x41 : 0x61
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first)
  })
