// Tests which changes of a policy are named as looser, rule by rule, and that none of random changes lets a refused request pass in
// silence.
import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../../../../scripts/seeded-random.ts'
import { PatchPolicySchema } from '../../../../src/management/policies/policies.schema.ts'
import { isJsonObject, type JsonObject } from '../../../../src/platform/json.ts'
import { applyMergePatch } from '../../../../src/platform/merge-patch.ts'
import { findLoosenedRules } from '../../../../src/policies/document/loosened-rules.ts'
import { PolicyDocumentSchema, type PolicyDocument } from '../../../../src/policies/document/policy-document.ts'
import { simulateCall } from '../../../../src/policies/document/simulate-call.ts'
import type { RuleFacts } from '../../../../src/policies/document/policy-rule.ts'
import { DEFAULT_SETTINGS } from '../../../../src/policies/organisation-settings.ts'
import { SHAPES } from '../../../../src/scanning/identifiers/identifier-shapes.ts'
import { INJECTION_RULE_IDS } from '../../../../src/scanning/injection/rule-ids.ts'

const K1 = 'key_00000000-0000-4000-8000-000000000001'
const RULES = Object.keys(PolicyDocumentSchema().shape)

type Rule = object
type Case = [before: Rule, after: Rule, message: string]

const approval = (more: object, case_: object = { use_cases: ['triage'], min_cost_eur: 1 }) => ({
  when: [case_],
  expires_seconds: 600,
  approvals_required: 2,
  ...more,
})

/** The changes that loosen each rule, with what is said about them. The same change the other way around loosens nothing. */
const CASES: Readonly<Record<string, readonly Case[]>> = {
  model_allowlist: [
    [{ models: ['a'] }, { models: ['a', 'b'] }, 'models now has b'],
    [{ models: [] }, {}, 'models is no longer set'],
    [{ by_use_case: { triage: ['a'] } }, { by_use_case: {} }, 'by_use_case.triage is no longer set'],
    [{ by_key: { [K1]: [] } }, { by_key: { [K1]: ['a'] } }, `by_key.${K1} now has a`],
  ],
  data_region: [
    [{ within: 'eu' }, { within: 'any' }, 'within went from eu to any'],
    [{ within: 'eea_ch' }, { within: 'any' }, 'within went from eea_ch to any'],
  ],
  content_type_guard: [
    [{ allow: ['text'] }, {}, 'allow is no longer set'],
    [
      { allow: ['text'], max_tools: 1 },
      { allow: ['text', 'image'], max_tools: 2 },
      'allow now has image; max_tools went from 1 to 2',
    ],
    [{ max_body_bytes: 0 }, {}, 'max_body_bytes is no longer set'],
  ],
  use_case_guard: [
    [{ required: true }, {}, 'required went from true to false'],
    [{ allow: ['triage'] }, { allow: ['triage', 'letters'] }, 'allow now has letters'],
  ],
  pii_scan: [
    [{ default: 'block' }, { default: 'redact' }, 'all shapes went from block to redact'],
    [{ default: 'redact', shapes: { iban: 'block' } }, { default: 'redact' }, 'iban went from block to redact'],
    [{ default: 'report' }, { default: 'report', shapes: { iban: 'ignore' } }, 'iban went from report to ignore'],
  ],
  prompt_injection_guard: [
    [{ action: 'block' }, { action: 'report' }, 'all rules went from block to report'],
    [
      { action: 'block' },
      { action: 'block', rules: { hidden_text: 'ignore' } },
      'hidden_text went from block to ignore',
    ],
    [{ action: 'block' }, { action: 'block', roles: ['user'] }, 'roles no longer has tool'],
  ],
  loop_guard: [
    [
      { repeats: 3, window_seconds: 60 },
      { repeats: 4, window_seconds: 30 },
      'repeats went from 3 to 4; window_seconds went from 60 to 30',
    ],
    [{ cycle_rounds: 3 }, {}, `cycle_rounds went from 3 to ${DEFAULT_SETTINGS.loopCycleRounds}`],
    [
      { cycle_window_seconds: 400 },
      {},
      `cycle_window_seconds went from 400 to ${DEFAULT_SETTINGS.loopCycleWindowSeconds}`,
    ],
  ],
  budget_guard: [
    [{ day_eur: 50, month_eur: 100 }, { day_eur: 80, month_eur: 100 }, 'day_eur went from 50 to 80'],
    [
      { keys: { [K1]: { day_eur: 1, month_eur: 2 } } },
      { keys: { [K1]: { month_eur: 2 } } },
      `keys.${K1}.day_eur is no longer set`,
    ],
    [{ keys: { [K1]: { day_eur: 1 } } }, {}, `keys.${K1}.day_eur is no longer set`],
  ],
  rate_limit: [[{ requests_per_minute: 0 }, { requests_per_minute: 1 }, 'requests_per_minute went from 0 to 1']],
  human_approval: [
    [approval({}), approval({ approvals_required: 1 }), 'approvals_required went from 2 to 1'],
    [approval({}), approval({ expires_seconds: 900 }), 'expires_seconds went from 600 to 900'],
    [approval({}, {}), approval({}), 'requests of case 1 may pass without approval'],
    [
      approval({}),
      approval({}, { use_cases: ['triage'], min_cost_eur: 2 }),
      'requests of case 1 may pass without approval',
    ],
    [
      approval({}, { models: ['a', 'b'] }),
      approval({}, { models: ['a'] }),
      'requests of case 1 may pass without approval',
    ],
    [
      approval({ when: [{ keys: [K1] }, {}] }),
      approval({ when: [{ keys: [K1] }] }),
      'requests of case 2 may pass without approval',
    ],
    [
      approval({}, { content_kinds: ['text', 'image'] }),
      approval({}, { content_kinds: ['image'] }),
      'requests of case 1 may pass without approval',
    ],
  ],
  cache: [],
  medical_use_cases: [[['triage', 'letters'], ['triage'], 'the list no longer has letters']],
  high_risk_use_cases: [[['triage', 'letters'], ['triage'], 'the list no longer has letters']],
  bias: [[{ cohorts: ['a'] }, { cohorts: ['a', 'b'] }, 'cohorts now has b']],
}

const loosened = (before: object, after: object) => findLoosenedRules(before, after, DEFAULT_SETTINGS)

describe.each(RULES)('%s', (rule) => {
  const cases = CASES[rule]
  it('is named if it is removed, and not if it is added or stays', () => {
    if (cases === undefined) throw new Error(`${rule} has no row`)
    const document = { [rule]: cases[0]?.[0] ?? { ttl_seconds: 5 } }
    expect(loosened(document, {})).toEqual([{ rule, isRemoved: true, message: `${rule} is no longer in force.` }])
    expect(loosened(document, document)).toEqual([])
    expect(
      loosened(rule === 'loop_guard' ? { loop_guard: {} } : {}, document).filter(({ isRemoved }) => isRemoved),
    ).toEqual([])
  })

  it.each([...(cases ?? [])])('from %j to %j is looser, and not the other way around', (before, after, message) => {
    expect(loosened({ [rule]: before }, { [rule]: after })).toEqual([
      { rule, isRemoved: false, message: `${rule}: ${message}.` },
    ])
    expect(loosened({ [rule]: after }, { [rule]: before })).toEqual([])
  })
})

it('a loop_guard that is added loosens the thresholds of the settings', () => {
  expect(loosened({}, { loop_guard: { repeats: 20 } })).toMatchObject([
    { rule: 'loop_guard', message: `loop_guard: repeats went from ${DEFAULT_SETTINGS.loopRepeats} to 20.` },
  ])
  expect(loosened({}, { loop_guard: { repeats: 2 } })).toEqual([])
})

it('a long list is cut', () => {
  const models = Array.from({ length: 100 }, (_, n) => `m${n}`)
  expect(loosened({ model_allowlist: { models: [] } }, { model_allowlist: { models } })[0]?.message).toMatch(
    /now has m0, .*, m7, and 92 more\.$/,
  )
})

const CHANGES = 3_000

it(`${CHANGES} random changes let no refused request pass without a warning`, () => {
  const random = createRandom(11)
  let loosenings = 0
  for (let n = 0; n < CHANGES; n++) {
    const before = randomDocument(random)
    const after = random.happens(0.5) ? randomDocument(random) : patched(random, before)
    const calls = Array.from({ length: 40 }, () => randomCall(random))
    const passes = (document: PolicyDocument) =>
      calls.map(
        (facts) => simulateCall(document, { facts, reserveMicroeur: facts.content.bytes, scannedBy: SCANNED }).result,
      )
    const [then, now] = [passes(before), passes(after)]
    const freed = calls.findIndex((_, at) => then[at] !== 'passes' && now[at] === 'passes')
    if (freed === -1) continue
    loosenings += 1
    expect({ before, after, call: calls[freed], loosened: loosened(before, after).length > 0 }).toMatchObject({
      loosened: true,
    })
  }
  expect(loosenings).toBeGreaterThan(CHANGES / 4)
})

it('1,000 random patches make what a PUT of the whole document would', () => {
  const random = createRandom(12)
  for (let n = 0; n < 1_000; n++) {
    const [before, after] = [randomDocument(random), randomDocument(random)]
    const patch = differenceOf(before, after)
    expect(PatchPolicySchema().parse(patch)).toStrictEqual(patch)
    expect(PolicyDocumentSchema().parse(applyMergePatch(before, patch))).toEqual(after)
  }
})

/** Returns the merge patch that makes one object the other. */
function differenceOf(before: object, after: object): JsonObject {
  const members = new Map<string, unknown>(Object.entries(after))
  const gone = Object.keys(before).flatMap((name) => (members.has(name) ? [] : [[name, null] as const]))
  const was = new Map<string, unknown>(Object.entries(before))
  const changed = [...members].map(([name, value]) => {
    const old = was.get(name)
    return [name, isJsonObject(value) && isJsonObject(old) ? differenceOf(old, value) : value] as const
  })
  return Object.fromEntries([...gone, ...changed])
}

/** So that what a scan found is known of each call. */
const SCANNED: PolicyDocument = {
  pii_scan: { default: 'report' },
  prompt_injection_guard: { action: 'report', roles: ['system', 'developer', 'user', 'assistant', 'tool'] },
}

const NAMES = ['a', 'b', 'c']
const KINDS = ['text', 'image', 'file', 'tools'] as const
const REGIONS = ['eu', 'eea_ch', 'any'] as const

function randomDocument(random: Random): PolicyDocument {
  const maybe = <T>(make: () => T): T | undefined => (random.happens(0.5) ? make() : undefined)
  const some = <T>(items: readonly T[]): T[] => items.filter(() => random.happens(0.5))
  const record = <T>(names: readonly string[], make: () => T) =>
    Object.fromEntries(some(names).map((name) => [name, make()]))
  const document = {
    model_allowlist: maybe(() => ({
      models: maybe(() => some(NAMES)),
      by_use_case: maybe(() => record(NAMES, () => some(NAMES))),
      by_key: maybe(() => record([K1], () => some(NAMES))),
    })),
    data_region: maybe(() => ({ within: random.choose(REGIONS) })),
    content_type_guard: maybe(() => ({ allow: maybe(() => some(KINDS)), max_images: maybe(() => random.below(3)) })),
    use_case_guard: maybe(() => ({ required: maybe(() => random.happens(0.5)), allow: maybe(() => some(NAMES)) })),
    pii_scan: maybe(() => ({
      default: random.choose(['ignore', 'report', 'redact', 'block']),
      shapes: maybe(() => record(SHAPES.slice(0, 3), () => random.choose(['ignore', 'report', 'redact', 'block']))),
    })),
    prompt_injection_guard: maybe(() => ({
      action: random.choose(['report', 'block']),
      rules: maybe(() => record(INJECTION_RULE_IDS.slice(0, 2), () => random.choose(['ignore', 'report', 'block']))),
    })),
    human_approval: maybe(() => ({
      when: Array.from({ length: random.between(1, 3) }, () => ({
        use_cases: maybe(() => [random.choose(NAMES), random.choose(NAMES)]),
        models: maybe(() => [random.choose(NAMES)]),
        content_kinds: maybe(() => [random.choose(KINDS)]),
        min_cost_eur: maybe(() => random.below(3) / 1e6),
      })),
    })),
  }
  // Without the members that are undefined, and with the defaults.
  return PolicyDocumentSchema().parse(JSON.parse(JSON.stringify(document)))
}

/** Merges some members of another document, and removes some. */
function patched(random: Random, before: PolicyDocument): PolicyDocument {
  const other = Object.entries(randomDocument(random)).filter(() => random.happens(0.3))
  const gone = Object.keys(before).filter(() => random.happens(0.1))
  const patch = Object.fromEntries([...other, ...gone.map((name) => [name, null] as const)])
  return PolicyDocumentSchema().parse(applyMergePatch(before, patch))
}

function randomCall(random: Random): RuleFacts & { content: { bytes: number } } {
  const count = () => random.below(3)
  const found = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, random.happens(0.1) ? 1 : 0]))
  const shapes = found(SHAPES.slice(0, 4))
  return {
    keyId: random.choose([K1, 'key_2']),
    model: random.choose(NAMES),
    useCase: random.choose([...NAMES, null]),
    content: { bytes: count(), characters: 5, texts: count(), images: count(), files: count(), tools: count() },
    findings: {
      pii_scan: shapes,
      pii_fixed: random.happens(0.5) ? shapes : {},
      prompt_injection_guard: INJECTION_RULE_IDS.slice(0, 3).filter(() => random.happens(0.1)),
    },
    regions: [random.choose(REGIONS)],
    regionLimit: random.choose(REGIONS),
  }
}
