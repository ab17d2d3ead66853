// Tests by random changes of a policy that one is named as looser if it loosens something. For rules that can be decided exactly:
// only then. Also that random patches make what a PUT would.
import { expect, it } from 'vitest'
import { createRandom, type Random } from '../../../../scripts/seeded-random.ts'
import { PatchPolicySchema } from '../../../../src/management/policies/policies.schema.ts'
import { isJsonObject, type JsonObject } from '../../../../src/platform/json.ts'
import { applyMergePatch } from '../../../../src/platform/merge-patch.ts'
import { findLoosenedRules } from '../../../../src/policies/document/loosened-rules.ts'
import { ALERT_PERCENT } from '../../../../src/policies/budget.policy.ts'
import { budgetsOf } from '../../../../src/policies/rules/budget-guard.rule.ts'
import { rateLimitOfKey } from '../../../../src/policies/rules/rate-limit.rule.ts'
import {
  HumanApprovalSchema,
  needsApproval,
  type HumanApproval,
} from '../../../../src/policies/rules/human-approval.rule.ts'
import { PolicyDocumentSchema, type PolicyDocument } from '../../../../src/policies/document/policy-document.ts'
import { simulateCall } from '../../../../src/policies/document/simulate-call.ts'
import type { RuleFacts } from '../../../../src/policies/facts.ts'
import { DEFAULT_SETTINGS } from '../../../../src/policies/organisation-settings.ts'
import { SHAPES } from '../../../../src/scanning/identifiers/shapes/index.ts'
import { INJECTION_RULE_IDS } from '../../../../src/scanning/injection/rule-ids.ts'

const K1 = 'key_00000000-0000-4000-8000-000000000001'

const loosened = (before: object, after: object) => findLoosenedRules(before, after, DEFAULT_SETTINGS)

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

const hasMedical = (calls: PolicyDocument['medical_use_cases']) =>
  [...NAMES, null].map((useCase) => calls === undefined || (useCase !== null && calls.includes(useCase)))

/** The limits of a key with limits of its own, and of another. */
const limitsOf = ({ rate_limit: rates, budget_guard: budget }: PolicyDocument) => {
  const budgets = [K1, K2].flatMap((key) => {
    const of = budgetsOf(budget, { monthlyBudgetMicroeur: null }, key)
    return PERIODS.flatMap((period) =>
      OWNERS.map((owner) => of.find((one) => one.period === period && one.of === owner)?.microeur ?? Infinity),
    )
  })
  const perKey = [K1, K2].map((key) => rateLimitOfKey(rates, key))
  return {
    rates: [rates?.requests_per_minute ?? Infinity, ...perKey.flatMap((one) => [one.perMinute, one.perDay])],
    budgets,
  }
}

it(`${CHANGES} random changes are named exactly if they raise a limit, end an alert, or change who is counted`, () => {
  const random = createRandom(13)
  for (let n = 0; n < CHANGES; n++) {
    const before = randomDocument(random)
    const after = random.happens(0.5) ? randomDocument(random) : patched(random, before)
    const [then, now] = [limitsOf(before), limitsOf(after)]
    const isRaised = (were: readonly number[], are: readonly number[]) => were.some((was, at) => (are[at] ?? 0) > was)
    const { budget_guard: had } = before
    const has: readonly number[] = after.budget_guard?.alert_percent ?? ALERT_PERCENT
    const alerts = had === undefined ? [] : (had.alert_percent ?? ALERT_PERCENT)
    const medical = hasMedical(after.medical_use_cases)
    const looser = {
      rate_limit: isRaised(then.rates, now.rates),
      budget_guard: isRaised(then.budgets, now.budgets) || alerts.some((percent) => !has.includes(percent)),
      medical_use_cases: hasMedical(before.medical_use_cases).some((was, at) => was && medical[at] === false),
      bias: after.bias?.cohorts.some((label) => before.bias?.cohorts.includes(label) !== true) ?? false,
    }
    const named = new Set(loosened(before, after).flatMap(({ rule, isRemoved }) => (isRemoved ? [] : [rule])))
    for (const [rule, isLooser] of Object.entries(looser)) {
      if (rule !== 'medical_use_cases' && !Object.hasOwn(after, rule)) continue
      expect({ before, after, rule, isNamed: named.has(rule as keyof PolicyDocument) }).toMatchObject({
        isNamed: isLooser,
      })
    }
  }
})

it('1,000 random changes of cases are named exactly if a request no longer needs approval', () => {
  const random = createRandom(14)
  const requests = everyRequest()
  let loosenings = 0
  for (let n = 0; n < 1_000; n++) {
    const before = HumanApprovalSchema().parse({ when: randomCases(random) })
    const when = random.happens(0.7) ? splitCases(random, before.when) : randomCases(random)
    const after = HumanApprovalSchema().parse({ when: when.length === 0 ? [{}] : when })
    const freed = requests.some((request) => needsApproval(before, request) && !needsApproval(after, request))
    loosenings += freed ? 1 : 0
    const isNamed = loosened({ human_approval: before }, { human_approval: after }).length > 0
    expect({ before, after, isNamed }).toEqual({ before, after, isNamed: freed })
  }
  expect(loosenings).toBeGreaterThan(250)
  expect(loosenings).toBeLessThan(750)
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
/** The second has replaced the first, which is gone. */
const MODELS = ['gemini-3.7-flash', 'gemini-3.8-flash', 'a']
const K2 = 'key_00000000-0000-4000-8000-000000000002'
const PERIODS = ['month', 'day'] as const
const OWNERS = ['organisation', 'key'] as const
const KINDS = ['text', 'image', 'file', 'tools'] as const
const REGIONS = ['eu', 'eea_ch', 'any'] as const

function randomDocument(random: Random): PolicyDocument {
  const maybe = <T>(make: () => T): T | undefined => (random.happens(0.5) ? make() : undefined)
  const some = <T>(items: readonly T[]): T[] => items.filter(() => random.happens(0.5))
  const limit = () => maybe(() => random.below(4))
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
      answers: maybe(() => ({ default: random.choose(['ignore', 'report', 'redact', 'block']) })),
    })),
    prompt_injection_guard: maybe(() => ({
      action: random.choose(['report', 'block']),
      rules: maybe(() => record(INJECTION_RULE_IDS.slice(0, 2), () => random.choose(['ignore', 'report', 'block']))),
    })),
    human_approval: maybe(() => ({ when: randomCases(random) })),
    rate_limit: maybe(() => ({
      requests_per_minute: limit(),
      key_requests_per_minute: limit(),
      key_requests_per_day: limit(),
      keys: maybe(() => record([K1], () => ({ requests_per_minute: limit(), requests_per_day: limit() }))),
    })),
    budget_guard: maybe(() => ({
      month_eur: limit(),
      key_month_eur: limit(),
      key_day_eur: limit(),
      keys: maybe(() => record([K1], () => ({ month_eur: limit(), day_eur: limit() }))),
      alert_percent: maybe(() => some([50, 80, 90, 100])),
    })),
    medical_use_cases: maybe(() => some(NAMES)),
    bias: maybe(() => ({ cohorts: [random.choose(NAMES)] })),
  }
  // Without the members that are undefined, and with the defaults.
  return PolicyDocumentSchema().parse(JSON.parse(JSON.stringify(document)))
}

type ApprovalCase = HumanApproval['when'][number]

function randomCases(random: Random): ApprovalCase[] {
  const maybe = <T>(items: readonly T[]): T[] | undefined =>
    random.happens(0.5) ? [random.choose(items), ...items.filter(() => random.happens(0.3))] : undefined
  return Array.from({ length: random.between(1, 3) }, () => ({
    use_cases: maybe(NAMES),
    models: maybe(MODELS),
    keys: random.happens(0.2) ? [K1] : undefined,
    content_kinds: maybe(KINDS),
    min_cost_eur: random.happens(0.3) ? random.below(3) / 1e6 : undefined,
  }))
}

/** Makes a case of each name of one list, and may forget one. */
function splitCases(random: Random, cases: readonly ApprovalCase[]): ApprovalCase[] {
  const split = cases.flatMap((one): ApprovalCase[] => {
    const list = random.choose(['use_cases', 'models', 'content_kinds'] as const)
    return one[list]?.map((name) => ({ ...one, [list]: [name] })) ?? [one]
  })
  return random.shuffle(random.happens(0.4) ? split.slice(1) : split)
}

/** One request of each sort that the cases can tell apart, with names that no case has. */
function everyRequest() {
  const amounts = [0, 1]
  const contents = amounts.flatMap((texts) =>
    amounts.flatMap((images) =>
      amounts.flatMap((files) => amounts.map((tools) => ({ bytes: 1, characters: 1, texts, images, files, tools }))),
    ),
  )
  return contents.flatMap((content) =>
    [...NAMES, 'other', null].flatMap((useCase) =>
      ['gemini-3.8-flash', 'a', 'other'].flatMap((model) =>
        [K1, K2].flatMap((keyId) =>
          [0, 1, 2].map((reserveMicroeur) => ({ content, useCase, model, keyId, reserveMicroeur })),
        ),
      ),
    ),
  )
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
    model: random.choose([...NAMES, 'gemini-3.8-flash']),
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
