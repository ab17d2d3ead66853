// The schema of the compliance report, one JSON document. Its canonical bytes are hashed, and the PDF is drawn from it.
import { COMPARED_NAMES } from '../statistics/compared-outcomes.ts'
import { COUNTED_NAMES, findEnding, membersOf, NOT_PASSED } from '../../evidence/records/call-endings.ts'
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { historicKeys } from '../../evidence/records/attestation.schema.ts'
import { headMembers } from '../../evidence/bundles/log-proofs.schema.ts'
import { orNull } from '../../platform/names.schema.ts'
import { adjustedMembers } from './adjusted.schema.ts'
import { TIERS } from '../../policies/tier.policy.ts'
import { CONTROL_STATES } from '../controls/control.ts'
import { STATED_CAUSES } from '../controls/stated-cause.policy.ts'
import { GROUPINGS } from '../../platform/groupings.ts'
import { VERDICTS } from '../statistics/compare-groups.ts'

const count = once(() => z.int().min(0))
const eur = once(() => z.number().nonnegative())
const day = once(() => z.iso.date())
const time = once(() => z.iso.datetime())
const rate = once(() => z.number())
const interval = once(() => z.tuple([rate(), rate()]))

const hash = once(() => z.string().regex(/^[0-9a-f]{64}$/))

const evidenceValue = once(() => z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]))

export const EvidenceSchema = once(() =>
  z
    .strictObject({
      query: z.string().meta({ description: 'What was asked, in words.' }),
      values: orNull(z.record(z.string(), evidenceValue())).meta({ description: 'What was found. Null: nothing was.' }),
      sample: z
        .strictObject({
          form: z.literal('sample-1'),
          seed: hash().meta({
            description: 'The root of the log at tree_size, or, of a score, what the request gave.',
          }),
          first: count().meta({ description: 'The first position that may be drawn.' }),
          tree_size: count(),
          calls_from: orNull(count()).meta({
            description: 'The calls of the period from this position on were looked at too. Null: none was.',
          }),
        })
        .optional()
        .meta({ description: 'The draw of the entries that were looked at. Anybody can draw the same.' }),
      positions: z.array(count()).optional().meta({ description: 'Of entries in the organisation’s log.' }),
      link: z.string().optional().meta({ description: 'Where the same can be asked of the service.' }),
    })
    .meta({ id: 'ComplianceEvidence' }),
)

export const ControlSchema = once(() =>
  z
    .strictObject({
      id: z.string().meta({ example: 'L1' }),
      title: z.string(),
      weight: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]).meta({
        description:
          '3: without it the record cannot be trusted. 2: an article names it. 1: good practice. 0: not scored.',
      }),
      earns: z.boolean().meta({
        description:
          'True: passing earns the weight. False: the service, its defaults, an export or a comparison make it pass, so passing earns nothing and failing costs the weight.',
      }),
      state: z.enum(CONTROL_STATES).meta({
        description:
          'not_applicable: there is no data. needs_a_person: nothing here can show it. stated: a person has explained what was found, or what nothing here can show. It counts as not passed.',
      }),
      reason: orNull(z.string()).meta({ description: 'Why it does not apply, or needs a person. Else null.' }),
      sources: z.array(z.string()).meta({ example: ['AI Act 12(1)', 'AI Act 19'] }),
      evidence: EvidenceSchema(),
      stated: z
        .array(z.strictObject({ subject: z.string(), looked_at: z.string(), stated_by: z.string(), stated_at: time() }))
        .meta({ description: 'Statements of people about it: what they looked at, who they are, and when.' }),
      checked_at: time(),
      would_pass: z.string().meta({ description: 'What would make it pass.' }),
    })
    .meta({ id: 'ComplianceControl' }),
)

export const ScoreSchema = once(() =>
  z
    .strictObject({
      percent: orNull(z.int().min(0).max(100)).meta({
        description: 'weight_passed of weight_applicable, rounded down. Null with too few calls to judge.',
      }),
      reason: orNull(z.string()).meta({ description: 'Why there is no percentage. Else null.' }),
      weight_passed: count().meta({ description: 'Of the controls that pass and earn.' }),
      weight_applicable: count().meta({ description: 'weight_passed, and all controls that fail or are stated.' }),
      passed: count().meta({ description: 'Controls that pass, those that earn nothing too.' }),
      failed: count(),
      stated: count().meta({ description: 'Controls whose failure a person has explained.' }),
      coverage: z
        .strictObject({ with_data: count(), controls: count() })
        .meta({ description: 'How many of the scored controls had data.' }),
      calls: count().meta({ description: 'Calls of the period that were let pass.' }),
      calls_needed: count().meta({ description: 'Calls that a percentage needs.' }),
    })
    .meta({ id: 'ComplianceScore' }),
)

export const StatementSchema = once(() =>
  z
    .strictObject({
      subject: z.string().meta({
        description: 'What it is about: a control, an anomaly, a disparity or a trace that is marked as an incident.',
        example: 'X1',
      }),
      text: z.string(),
      looked_at: z.string().meta({ description: 'What the person has looked at.' }),
      cause: orNull(z.enum(STATED_CAUSES)),
      date: orNull(day()).meta({ description: 'The day that the statement says it is about.' }),
      stated_by: z.string().meta({ description: 'The person’s id.' }),
      stated_at: time(),
    })
    .meta({ id: 'ComplianceStatement' }),
)

/** The roles that may act on a decision. The operator runs the deployment. */
export const DECIDERS = ['operator', 'owner', 'admin', 'clinician'] as const
export type Decider = (typeof DECIDERS)[number]

const DecisionSchema = once(() =>
  z.strictObject({
    control: z.string().meta({ example: 'P3' }),
    what: z.string().meta({ description: 'What is to be decided.' }),
    who: z.array(z.enum(DECIDERS)).meta({ description: 'Who may act on it.' }),
    by: day().meta({
      description: 'Proposed: 7 days after the report for weight 3, 30 for 2, 90 for 1. No term of law.',
    }),
  }),
)

const TrendSchema = once(() =>
  z.strictObject({
    report_id: z.string(),
    created_at: time(),
    start: day(),
    end: day(),
    same_checklist: z.boolean().meta({ description: 'False: the checklists differ, so nothing is compared.' }),
    percent_before: orNull(z.int()),
    percent_now: orNull(z.int()),
    now_passing: z.array(z.string()).meta({ description: 'Controls that pass now and did not before.' }),
    now_failing: z.array(z.string()).meta({ description: 'Controls that fail now and did not before.' }),
  }),
)

const endingCounts = once(() => {
  const { passed: _, ...counts } = membersOf(COUNTED_NAMES, (name) =>
    count().meta({ description: findEnding(name)?.means ?? '' }),
  )
  return { ...counts, withheld: counts.withheld.optional() }
})

/** Every call has one of the endings, or is in flight. */
const UsageTotalsSchema = once(() =>
  z.strictObject({
    requests: count(),
    ...endingCounts(),
    held: count().meta({
      description: 'Held for a person: the sum of the endings that follow. They wait, or never ran.',
    }),
    in_flight: count(),
    refused: count().meta({ description: 'Of those completed: answers in which the model declined.' }),
    input_tokens: count(),
    output_tokens: count(),
    cost_eur: eur(),
    cost_prevented_eur: eur(),
    cost_estimated_requests: count(),
  }),
)

const usageMembers = once(() => ({
  requests: count(),
  ...membersOf(NOT_PASSED, count),
  failed: count().meta({ description: 'Failed or interrupted.' }),
  stopped: count().optional().meta({ description: 'Their answer was stopped. Reports of older versions do not say.' }),
  cost_eur: eur(),
}))

const UsageSchema = once(() =>
  z.strictObject({
    totals: UsageTotalsSchema(),
    by_day: z.array(z.strictObject({ date: day(), ...usageMembers() })).meta({
      description: 'Every day of the period, those without a call too.',
    }),
    by_model: z.array(z.strictObject({ name: z.string(), ...usageMembers() })),
    by_use_case: z
      .array(z.strictObject({ name: orNull(z.string()), ...usageMembers() }))
      .meta({ description: 'Name null: calls that declared none.' }),
  }),
)

/** One comparison of groups, as `GET /api/compliance/bias-detection` returns it. */
const ParitySchema = once(() =>
  z.strictObject({
    by: z.enum(GROUPINGS),
    outcome: z.enum(COMPARED_NAMES),
    method: z.string().meta({ example: 'parity-2' }),
    groups: z.array(
      z.strictObject({
        group: z.string(),
        n: orNull(count()).meta({ description: 'Null where the group is too small to be shown.' }),
        k: orNull(count()),
        rate: orNull(rate()),
        interval: orNull(interval()),
        dispersion: orNull(rate()),
      }),
    ),
    comparisons: z.array(
      z.strictObject({
        group: z.string(),
        reference: z.string(),
        difference: orNull(rate()),
        difference_interval: orNull(interval()),
        ratio: orNull(rate()),
        ratio_interval: orNull(interval()),
        unfavourable_ratio: orNull(rate()),
        unfavourable_ratio_interval: orNull(interval()),
        p: orNull(rate()),
        p_adjusted: orNull(rate()),
        ...adjustedMembers(),
        verdict: z.enum(VERDICTS),
      }),
    ),
    cannot_show: z.array(z.string()).meta({ description: 'What such a comparison says nothing about.' }),
    parity: z.strictObject({ difference: orNull(rate()), ratio: orNull(rate()), verdict: z.enum(VERDICTS) }),
  }),
)

const AlarmSchema = once(() =>
  z.strictObject({
    kind: z.string().meta({ example: 'failed_rate' }),
    series: z.string().meta({ description: 'The key, model or use case; “all” for every call.' }),
    since: z.string().meta({ description: 'A day, or an hour.' }),
    value: rate(),
    baseline: rate(),
    statistic: rate(),
    threshold: rate(),
    change: orNull(rate()),
  }),
)

const AnomalySchema = once(() =>
  AlarmSchema().extend({
    alarms: z.array(AlarmSchema()).optional().meta({
      description: 'All alarms of the anomaly. Older reports have none: each alarm is an anomaly.',
    }),
  }),
)

const ApprovalCountsSchema = once(() =>
  z.strictObject({
    asked: count(),
    approved: count(),
    denied: count(),
    expired: count(),
    withdrawn: count(),
    executed: count(),
    pending: count(),
  }),
)

const RetentionSchema = once(() =>
  z.strictObject({
    tier: z.enum(TIERS),
    details_days: count().meta({ description: 'How long details of a decision are kept; their leaves stay.' }),
    content_logging: z.boolean(),
    content_days: orNull(count()),
    jurisdiction: orNull(z.string()),
    erasures: z.strictObject({ asked: count(), done: count(), overdue: count() }),
  }),
)

/** What a coverage entry of the log says, of those that the period's decisions may name. */
const CoverageSchema = once(() =>
  z.strictObject({
    index: count().meta({ description: 'The entry’s position in the organisation’s log.' }),
    written_at: time(),
    version: z.string(),
    source_sha256: orNull(hash()).meta({ description: 'Of the source that the service says it was built from.' }),
    worker_id: orNull(z.string()),
    operations: z.array(z.string()).meta({ description: 'Those that write decisions.' }),
    writes_none: z
      .array(
        z.strictObject({
          codes: z.array(z.string()),
          why: z.string(),
          counted: orNull(z.string()).meta({
            description: 'The counters of the log’s hours. Null: nothing counts them.',
          }),
          at_least: z.boolean().meta({ description: 'The counters can be too low.' }),
        }),
      )
      .meta({ description: 'Errors whose calls leave no entry.' }),
  }),
)

const LawSchema = once(() =>
  z.strictObject({
    notes: z.array(z.string()),
    sources: z.array(
      z.strictObject({ source: z.string(), expects: z.string(), shows: z.string(), cannot: z.string() }).meta({
        description: 'What a law or a standard expects to see, and what of it this service can show and cannot.',
      }),
    ),
    citations: z
      .array(
        z.strictObject({
          citation: z.string().meta({ description: 'As the sources of controls have it.', example: 'AI Act 12' }),
          title: z.string(),
          applies_from: orNull(day()).meta({
            description: 'The first day on which it applies to anybody. Null for a standard.',
          }),
          source: z.url().meta({ description: 'The publisher’s address.' }),
          read_on: day().meta({ description: 'When it was read, in a public copy.' }),
        }),
      )
      .optional()
      .meta({
        description: 'Each law and standard that the report cites. Absent from reports that are stored without.',
      }),
  }),
)

export const ComplianceReportSchema = once(() =>
  z
    .strictObject({
      object: z.literal('compliance_report'),
      id: z.string().regex(/^rep_[0-9a-f-]{36}$/),
      report: z.literal('report-1').meta({ description: 'The version of this document’s shape.' }),
      organisation: z.strictObject({ id: z.string(), name: z.string() }),
      start: day(),
      end: day().meta({ description: 'The last day of the period.' }),
      created_at: time(),
      law_as_of: day().meta({ description: 'The day whose law the checklist is about. It is no legal advice.' }),
      law: LawSchema(),
      checklist: z.string().meta({ example: '2026-11-27' }),
      decisions: z.array(DecisionSchema()).meta({
        description: 'Decisions on the heaviest failing controls and on findings without an explanation.',
      }),
      trend: orNull(TrendSchema()).meta({
        description: 'Compared with the last stored report. Null: there is none that can be read.',
      }),
      risks: z.array(z.strictObject({ control: z.string(), text: z.string() })).meta({
        description: 'The three largest, by weight and then by the part that fails. Empty: no control fails.',
      }),
      score: ScoreSchema(),
      controls: z.array(ControlSchema()),
      statements: z.array(StatementSchema()),
      cannot_show: z.array(z.string()),
      usage: UsageSchema(),
      bias: z.array(ParitySchema()).meta({ description: 'Empty where no groups were compared.' }),
      anomalies: orNull(z.array(AnomalySchema())).meta({
        description: 'Null where the tier has no bias detection: nobody has looked for any.',
      }),
      approvals: ApprovalCountsSchema(),
      retention: RetentionSchema(),
      coverage: z.array(CoverageSchema()).optional().meta({
        description: 'What the log covers, by each version that wrote it. Absent from reports that are stored without.',
      }),
      tree_head: z.strictObject({
        v: z.literal(1),
        org_id: z.string(),
        ...headMembers({
          bytes: 'the text `aqta-sth-v1|ORG|SIZE|` and the 32 bytes of the root',
          timestamp: 'When it was signed. Not among the signed bytes.',
        }),
      }),
      public_keys: historicKeys(),
      names: z.array(z.strictObject({ id: z.string(), name: z.string() })).meta({
        description: 'Names of API keys and roles of members whose ids are in the report.',
      }),
      service_origin: orNull(z.url()).meta({ description: 'The address of the service that made it, if configured.' }),
      demo: z.boolean().meta({ description: 'Whether the calls it tells of are invented.' }),
    })
    .meta({ id: 'ComplianceReport' }),
)

export type ComplianceReport = Infer<typeof ComplianceReportSchema>
export type Control = Infer<typeof ControlSchema>
