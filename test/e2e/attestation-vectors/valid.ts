// Records that verify: one for each rule that a strict reader could get wrong.
import type { Vector } from '../../fixtures/attestation/vector.ts'
import { base, bytesOf, first, good, goodText, second, signed, signedOver, text, withUnusedBits } from './craft.ts'

const PROTOTYPE_MEMBER = '{"__proto__":{"a":1}}'

export const valid: Vector[] = [
  good('allowed', signed()),
  good('blocked, with an estimate', signed({ outcome: 'BLOCKED', cost_prevented_eur: 2.5 })),
  good('suppressed', signed({ outcome: 'SUPPRESSED', cost_prevented_eur: 0.004 })),
  good('PASSED, the old synonym', signed({ outcome: 'PASSED' })),
  good('no policy', signed({ policy_applied: [] })),
  good('a policy twice', signed({ policy_applied: ['loop_guard', 'loop_guard'] })),
  good('policies in order by case', signed({ policy_applied: ['Z_guard', 'a_guard'] })),
  good('a policy that is the beginning of the next', signed({ policy_applied: ['loop', 'loop_guard'] })),
  good('policies that are not ASCII', signed({ policy_applied: ['Größe', 'règle', '上限'] })),
  good('policies in order by code unit, not by code point', signed({ policy_applied: ['😀', '\uE000'] })),
  good('an empty policy name', signed({ policy_applied: ['', 'loop_guard'] })),
  good('the smallest cost of six decimals', signed({ cost_prevented_eur: 0.000001 })),
  good('a cost that some languages print with an exponent', signed({ cost_prevented_eur: 0.000015 })),
  good('a cost printed with an exponent', signed({ cost_prevented_eur: 1e-7 })),
  good('a large cost', signed({ cost_prevented_eur: 1e21 })),
  good('a cost that binary cannot say exactly', signed({ cost_prevented_eur: 0.1 })),
  goodText(
    'a cost of minus zero, signed as zero',
    text(signed()).replace('"cost_prevented_eur":0', '"cost_prevented_eur":-0'),
  ),
  goodText(
    'a cost written 0.0 and signed as zero',
    text(signed()).replace('"cost_prevented_eur":0', '"cost_prevented_eur":0.0'),
  ),
  ...['0.10', '1e-1', '0.1000'].map((cost) =>
    goodText(
      `a cost written ${cost} and signed as 0.1`,
      text(signed({ cost_prevented_eur: 0.1 })).replace('_eur":0.1', `_eur":${cost}`),
    ),
  ),
  goodText(
    'a cost written 5.0 and signed as 5',
    text(signed({ cost_prevented_eur: 5 })).replace('_eur":5', '_eur":5.0'),
  ),
  ...[
    '2026-11-20T05:00:00Z',
    '2026-11-20t05:00:00z',
    '2026-11-20 05:00:00+05:30',
    '2026-11-20T05:00:00-00:00',
    '2026-11-20T05:00:00.123456789012Z',
    '2016-12-31T23:59:60Z',
    '0000-01-01T00:00:00+23:59',
    '2026-02-30T00:00:00Z',
  ].map((timestamp) => good(`timestamp ${timestamp}`, signed({ timestamp }))),
  good('quotes, backslashes and controls', signed({ model: 'a"b\\c\u0000\b\t\n\f\r\u001f/' })),
  good('characters that JSON leaves alone', signed({ model: '\u007f\u0085\u2028\u2029\ufeff\ufffd\u{10ffff}' })),
  good('identifiers that are no strings', signed({ org_id: null, trace_id: 7, attestation_id: false })),
  good(
    'a nested object, its members in order',
    signed({ model: { b: [{ z: 1, a: 2 }], a: {}, '\uE000': 1, '😀': 2 } }),
  ),
  good('members with the names of built-in properties', signed({ model: { constructor: 1, toString: 2 } })),
  goodText(
    'a member called __proto__',
    text(signedOver(String(bytesOf(base)).replace('"invented-model"', PROTOTYPE_MEMBER))).replace(
      '"invented-model"',
      PROTOTYPE_MEMBER,
    ),
  ),
  good('empty identifiers', signed({ org_id: '', trace_id: '', attestation_id: '', model: '' })),
  goodText('members in another order', text(Object.fromEntries(Object.entries(signed()).toReversed()))),
  goodText('with white space', JSON.stringify(signed(), null, '\t')),
  goodText(
    'with escapes that are not needed',
    text(signed()).replace('"invented-model"', String.raw`"\u0069nvented\u002dmodel"`),
  ),
  good('a signature with unused bits set', withUnusedBits(signed())),
  { ...good('a second pinned key', signed({}, second)), keys: [first.publicKey, second.publicKey] },
  { ...good('integrity only', signed({}, second)), keys: null },
]
