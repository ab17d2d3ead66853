// Checks whether text that arrives in pieces, such as a call's arguments, is one JSON object (RFC 8259). It stores no text, only
// the brackets that are still open.

import { endOfPlain } from './text-frame.ts'

export type JsonCheck = { push(piece: string): void; isWhole(): boolean }

type State =
  | 'start'
  | 'value' // a value must follow
  | 'first' // a value, or the end of an empty list
  | 'member' // a name must follow
  | 'opened' // a name, or the end of an empty object
  | 'colon'
  | 'next' // a comma or an end
  | 'string'
  | 'escape'
  | 'hex'
  | 'word'
  | NumberState
  | 'done'
  | 'broken'

type NumberState = 'minus' | 'zero' | 'whole' | 'point' | 'fraction' | 'power' | 'sign' | 'exponent'

type NumberCharacter = '0' | '1-9' | '.' | 'e' | '+-'

/** State → the characters that may follow in a number, each with the state after it. */
const NUMBERS: Readonly<Record<NumberState, Readonly<Partial<Record<NumberCharacter, NumberState>>>>> = {
  minus: { 0: 'zero', '1-9': 'whole' },
  zero: { '.': 'point', e: 'power' },
  whole: { 0: 'whole', '1-9': 'whole', '.': 'point', e: 'power' },
  point: { 0: 'fraction', '1-9': 'fraction' },
  fraction: { 0: 'fraction', '1-9': 'fraction', e: 'power' },
  power: { 0: 'exponent', '1-9': 'exponent', '+-': 'sign' },
  sign: { 0: 'exponent', '1-9': 'exponent' },
  exponent: { 0: 'exponent', '1-9': 'exponent' },
}

function numberCharacter(char: string): NumberCharacter | null {
  if (char >= '1' && char <= '9') return '1-9'
  if (char === '0' || char === '.') return char
  if (char === 'e' || char === 'E') return 'e'
  return char === '+' || char === '-' ? '+-' : null
}

const NUMBER_ENDS: ReadonlySet<State> = new Set(['zero', 'whole', 'fraction', 'exponent'])

const BLANK_FOLLOWS: ReadonlySet<State> = new Set([
  'start',
  'value',
  'first',
  'member',
  'opened',
  'colon',
  'next',
  'done',
])

const LITERALS: Readonly<Record<string, string>> = { t: 'rue', f: 'alse', n: 'ull' }

/** @see https://www.rfc-editor.org/rfc/rfc8259#section-2 */
export function createJsonCheck(): JsonCheck {
  let state: State = 'start'
  const open: string[] = []
  let isName = false
  /** The rest of a word, or of an escape. */
  let rest = ''

  const end = (): State => (open.length === 0 ? 'done' : 'next')

  function close(bracket: string): State {
    return open.pop() === bracket ? end() : 'broken'
  }

  function begin(char: string, opened: State): State {
    open.push(char)
    return opened
  }

  function beginString(asName: boolean): State {
    isName = asName
    return 'string'
  }

  function value(char: string): State {
    if (char === '{') return begin(char, 'opened')
    if (char === '[') return begin(char, 'first')
    if (char === '"') return beginString(false)
    if (char === '-') return 'minus'
    rest = LITERALS[char] ?? ''
    return rest === '' ? numberAfter('minus', char) : 'word'
  }

  function numberAfter(from: NumberState, char: string): State {
    const kind = numberCharacter(char)
    const step = kind === null ? undefined : NUMBERS[from][kind]
    if (step !== undefined) return step
    return NUMBER_ENDS.has(from) ? after('next', char) : 'broken'
  }

  function stringStep(char: string): State {
    if (char === '"') return isName ? 'colon' : end()
    if (char === '\\') return 'escape'
    return char < ' ' ? 'broken' : 'string'
  }

  function escapeStep(char: string): State {
    rest = 'hhhh'
    if (char === 'u') return 'hex'
    return '"\\/bfnrt'.includes(char) ? 'string' : 'broken'
  }

  function spell(isRight: boolean, whole: State): State {
    if (!isRight) return 'broken'
    rest = rest.slice(1)
    return rest === '' ? whole : state
  }

  const numberStep = (from: NumberState) => (char: string) => numberAfter(from, char)

  const steps: Readonly<Record<State, (char: string) => State>> = {
    start: (char) => (char === '{' ? value(char) : 'broken'),
    value,
    first: (char) => (char === ']' ? close('[') : value(char)),
    opened: (char) => (char === '}' ? close('{') : steps.member(char)),
    member: (char) => (char === '"' ? beginString(true) : 'broken'),
    colon: (char) => (char === ':' ? 'value' : 'broken'),
    next: (char) => {
      if (char === ',') return open.at(-1) === '{' ? 'member' : 'value'
      return char === '}' ? close('{') : char === ']' ? close('[') : 'broken'
    },
    string: stringStep,
    escape: escapeStep,
    hex: (char) => spell(/[\da-fA-F]/.test(char), 'string'),
    word: (char) => spell(rest.startsWith(char), end()),
    minus: numberStep('minus'),
    zero: numberStep('zero'),
    whole: numberStep('whole'),
    point: numberStep('point'),
    fraction: numberStep('fraction'),
    power: numberStep('power'),
    sign: numberStep('sign'),
    exponent: numberStep('exponent'),
    done: () => 'broken',
    broken: () => 'broken',
  }

  function after(from: State, char: string): State {
    return char <= ' ' && BLANK_FOLLOWS.has(from) && ' \t\n\r'.includes(char) ? from : steps[from](char)
  }

  return {
    push(piece) {
      for (let at = 0; at < piece.length && state !== 'broken'; at++) {
        if (state === 'string') at = endOfPlain(piece, at)
        if (at < piece.length) state = after(state, piece.charAt(at))
      }
    },
    isWhole: () => state === 'done',
  }
}
