// What a page says of the search of an answer: how much was read, what was found, and what was done about it.
import { expect, it } from 'vitest'
import { NOT_SEARCHED } from '../../../../src/evidence/records/answer-scan.ts'
import { answerScanText } from '../../../../src/pages/app/calls/answer-scan-text.ts'

type Scan = Parameters<typeof answerScanText>[0]

const NONE: Scan = { ...NOT_SEARCHED, found: {}, stopped: [], unread: [] }
const FOUND = { payment_card: 1, pps_number: 2 }
const RULES = ['loop_guard', 'pii_scan', 'pii_scan.answers']

it.each<[string, Partial<Scan>, string[], string?]>([
  ['Not searched: no rule asks for it', {}, ['pii_scan']],
  ['Nothing went out', {}, RULES],
  ['Not known', {}, RULES, 'interrupted'],
  ['Read in full · nothing found', { coverage: 'full' }, RULES],
  [
    'Read in full · payment card (1) and PPS number (2) found · 2 values taken out',
    { coverage: 'full', found: FOUND, redacted: 2 },
    RULES,
  ],
  [
    'Nothing went out · payment card (1) and PPS number (2) found · stopped: payment card',
    { found: FOUND, stopped: ['payment_card'] },
    RULES,
  ],
  [
    'Read in part · unread: sealed thinking and what is beyond the limit · nothing found',
    { coverage: 'partial', unread: ['sealed_thinking', 'too_long'] },
    RULES,
  ],
])('%s', (text, scan, rules, ending) => {
  expect(answerScanText({ ...NONE, ...scan }, rules, ending)).toBe(text)
})
