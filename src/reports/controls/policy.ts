// Controls on the policy: the organisation has declared the purposes and limits of its calls.
import { SHAPES } from '../../scanning/identifiers/identifier-shapes.ts'
import { CONTENT_KINDS, type ContentKind } from '../../policies/document/content-type-guard.policy.ts'
import { actionFor } from '../../policies/document/pii-scan.policy.ts'
import type { PolicyDocument } from '../../policies/document/policy-document.ts'
import { judged, notApplicable, percentOf, type ControlDefinition } from './control.ts'

const LEAST_DECLARED_PERCENT = 95

/** The kinds of content that are scanned for identifiers; pictures and files are not. */
const LOOKED_INTO: ReadonlySet<ContentKind> = new Set(['text', 'tools'])

export const POLICY_CONTROLS: readonly ControlDefinition[] = [
  {
    id: 'P1',
    title: 'A policy is in force that a person set',
    weight: 3,
    sources: ['ISO/IEC 42001 6.1', 'NIST AI RMF GOVERN 1'],
    query: 'The version of the policy in force, and who made it.',
    wouldPass: 'An owner or admin who has signed in puts a policy in force: PUT /api/policies. A key does not count.',
    link: '/api/policies',
    judge: ({ policy: { version, madeBy } }) =>
      judged(version >= 1 && madeBy?.startsWith('usr_') === true, { policy_version: version, made_by: madeBy }),
  },
  {
    id: 'P2',
    title: 'Models are restricted',
    weight: 2,
    sources: ['AI Act 26(1)'],
    query: 'How many models the policy’s model_allowlist lets every call ask, of those that the gateway offers.',
    wouldPass: 'model_allowlist.models names the models that are meant to be used, and fewer than there are.',
    link: '/api/policies',
    judge: ({ policy: { document, modelsOffered } }) => {
      const allowed = document.model_allowlist?.models
      const values = { models_allowed: allowed?.length ?? null, models_offered: modelsOffered }
      return judged(allowed !== undefined && new Set(allowed).size < modelsOffered, values)
    },
  },
  {
    id: 'P3',
    title: 'Calls say what they are for',
    weight: 2,
    sources: ['AI Act 26(1)', 'NIST AI RMF MAP 1'],
    query: `Calls of the period that declared a use case: at least ${LEAST_DECLARED_PERCENT} percent.`,
    wouldPass: `At least ${LEAST_DECLARED_PERCENT} percent of calls declare a use case in x-aqta-use-case; use_case_guard.required makes it all of them.`,
    link: '/api/analytics/requests?group_by=use_case',
    judge: ({ calls: { requests, withUseCase } }) => {
      if (requests === 0) return notApplicable('There was no call in the period.')
      const values = { requests, with_use_case: withUseCase, percent: percentOf(withUseCase, requests) }
      return judged(withUseCase * 100 >= requests * LEAST_DECLARED_PERCENT, values)
    },
  },
  {
    id: 'P4',
    title: 'Personal data is looked for',
    weight: 2,
    sources: ['GDPR 25', 'GDPR 32'],
    query:
      'Whether pii_scan does anything about a shape it finds, and whether calls of the period, the latest 1,000 at hand and those drawn at random, held kinds of content that it does not look into (pictures, files).',
    wouldPass:
      'The policy has pii_scan with an action other than ignore, and no pictures or files are sent: content_type_guard can refuse them.',
    link: '/api/policies',
    judge: ({ policy: { document }, sample }) => {
      const inUse = CONTENT_KINDS.filter((kind) => (sample.kinds[kind] ?? 0) > 0)
      const unseen = inUse.filter((kind) => !LOOKED_INTO.has(kind) && isLetPass(document, kind))
      const values = { pii_scan: document.pii_scan !== undefined, kinds_in_use: inUse, kinds_not_looked_into: unseen }
      return judged(scansText(document) && unseen.length === 0, values)
    },
  },
  {
    id: 'P5',
    title: 'Runaway use is stopped',
    weight: 1,
    sources: ['AI Act 15(4)'],
    query: 'Whether the policy says what a loop is, and whether a budget bounds what may be spent.',
    wouldPass:
      'The policy has loop_guard, and budget_guard with an amount; the settings’ monthly budget counts as one too.',
    link: '/api/policies',
    judge: ({ policy: { document }, hasMonthlyBudget }) => {
      const hasLoopGuard = document.loop_guard !== undefined
      const hasBudget = hasMonthlyBudget || boundsSpending(document)
      return judged(hasLoopGuard && hasBudget, { loop_guard: hasLoopGuard, budget: hasBudget })
    },
  },
]

const scansText = ({ pii_scan: scan }: PolicyDocument): boolean =>
  scan !== undefined && SHAPES.some((shape) => actionFor(scan, shape) !== 'ignore')

const isLetPass = ({ content_type_guard: guard }: PolicyDocument, kind: ContentKind): boolean =>
  guard?.allow?.includes(kind) !== false

/** A guard with alerts alone limits nothing. */
const boundsSpending = ({ budget_guard: guard = {} }: PolicyDocument): boolean =>
  [guard.month_eur, guard.day_eur, guard.key_month_eur, guard.key_day_eur].some((amount) => amount !== undefined)
