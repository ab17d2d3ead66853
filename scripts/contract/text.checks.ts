// How much text may be sent, counted in code points, and in which order a letter is refused.
import { callCheck, type Check, type CheckSource } from './check.ts'
import type { ErrorCode } from './error-envelope.ts'
import { MARK, readableText, readCall, UNKNOWN_LETTER } from './letters.ts'

const LIMIT = 4000
const DATE = 'Seen on 14/03/2024. '

function textOf(codePoints: number, character: string): string {
  return UNKNOWN_LETTER + character.repeat(codePoints - UNKNOWN_LETTER.length)
}

// A sandbox key reads only examples, so a letter that is short enough is refused for being none.
const LIMITS: readonly (readonly [name: string, expected: ErrorCode, text: string])[] = [
  ['4,000 characters', 'not_an_example', textOf(LIMIT, 'a')],
  ['4,001 characters', 'text_too_long', textOf(LIMIT + 1, 'a')],
  ['4,000 code points outside the basic plane', 'not_an_example', textOf(LIMIT, '🩺')],
  ['4,001 code points outside the basic plane', 'text_too_long', textOf(LIMIT + 1, '🩺')],
]
const limits = LIMITS.map(([name, expected, text]) =>
  callCheck({ group: 'text limits', name, expected, call: readCall({ text }) }),
)

const group = 'order of refusals'
const order: readonly Check[] = [
  callCheck({
    group,
    name: 'held outranks an identifier in the text',
    expected: 'held',
    call: readCall({ action: 'assign_urgency', text: DATE + UNKNOWN_LETTER }),
  }),
  callCheck({
    group,
    name: 'held outranks a text that is too long',
    expected: 'held',
    call: readCall({ action: 'assign_urgency', text: textOf(LIMIT + 1, 'a') }),
  }),
  callCheck({
    group,
    name: 'an unknown action outranks a missing text',
    expected: 'unknown_action',
    call: readCall({ action: `diagnose_${MARK}` }),
  }),
  callCheck({
    group,
    name: 'an unknown action outranks an identifier',
    expected: 'unknown_action',
    call: readCall({ action: `diagnose_${MARK}`, text: DATE + UNKNOWN_LETTER }),
  }),
  callCheck({
    group,
    name: 'too long outranks an identifier',
    expected: 'text_too_long',
    call: readCall({ text: DATE + textOf(LIMIT + 1, 'a') }),
  }),
  callCheck({
    group,
    name: 'an identifier outranks not being an example',
    expected: 'identifier_found',
    call: async (deployment) => readCall({ text: DATE + (await readableText(deployment)) }),
  }),
]

export const textChecks: CheckSource = () => [...limits, ...order]
