// Reads, changes and simulates the policy of an organisation, and lists its versions. Each change is one turn, with a log entry and
// a row for the new version.
import { canonicalJson } from '../../evidence/records/canonical-json.ts'
import {
  findUnknownModel,
  toNamedPolicy,
  readPolicyDocument,
  versionPolicy,
  type PolicyDocument,
  type VersionedPolicy,
} from '../../policies/document/policy-document.ts'
import type { NamedModel } from '../../policies/rules/rule.ts'
import { findLoosenedRules, type LoosenedRule } from '../../policies/document/loosened-rules.ts'
import { findPolicyChanges } from '../../policies/document/policy-changes.ts'
import { decideHighRiskUseCases, type RetentionWarning } from '../../policies/log-retention.policy.ts'
import { notify } from '../../notifications/notify.ts'
import type { JsonObject } from '../../platform/json.ts'
import { applyMergePatch } from '../../platform/merge-patch.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { TIERS_WITH_APPROVAL, type Tier } from '../../policies/tier.policy.ts'
import { appendAct, causeOf, type Act } from '../append-act.ts'
import { endDueApprovals } from '../approvals/approval-steps.ts'
import { CallIndexStore } from '../usage/call-index.store.ts'
import { POLICY_CHANGED } from '../journal/load-state.ts'
import { FeatureTarget } from '../feature.target.ts'
import type { Stores } from '../organisation-stores.ts'
import type { PolicyVersion } from './policy-versions.store.ts'
import { simulatePolicy, type SimulatedDecision, type SimulationRequest } from './simulate-policy.ts'

/**
 * `patch`: the members to change of the policy in force (JSON Merge Patch). `reason`: of the change, if one is given. `ifVersion`:
 * change only if this version is in force; null: always. `mayWithdraw`: change also if requests wait for approval, which withdraws
 * them: true for all, or the ids of those that the sender has seen.
 */
export type PolicyChangeRequest = ({ document: PolicyDocument } | { patch: JsonObject }) & {
  reason?: string | null
  ifVersion: number | null
  mayWithdraw?: boolean | readonly string[]
}

/**
 * Nothing changes in these cases. `stale`: another version than expected is in force. `tier_required`: the tier has no human
 * approval. `person_required`: a key would change a rule that only people may. `invalid`: the patch makes a document with faults.
 * `unknown_model`: the document names a model that neither the catalogue nor the policy in force has.
 * `high_risk_retention`: use cases would be high-risk, and details are stored for only so many days. `waiting`: this many requests
 * wait for approval, or are approved and have not run.
 */
export type PolicyChangeResult =
  | {
      outcome: 'changed'
      policy: PolicyInForce
      warnings: readonly RetentionWarning[]
      loosened: readonly LoosenedRule[]
    }
  | { outcome: 'stale'; version: number }
  | { outcome: 'tier_required'; tier: Tier }
  | { outcome: 'person_required'; rule: 'human_approval' | 'data_region' }
  | { outcome: 'invalid'; document: unknown }
  | ({ outcome: 'unknown_model' } & NamedModel)
  | { outcome: 'high_risk_retention'; retentionDays: number }
  | { outcome: 'waiting'; requests: number }

/** `made`: when and by whom; null if there is no policy yet. */
export type PolicyInForce = VersionedPolicy & { made: Pick<PolicyVersion, 'madeAt' | 'actor'> | null }
type PolicyStores = Pick<Stores, 'journal' | 'policies'>

export class PolicyTarget extends FeatureTarget<'sql' | 'stores' | 'turns' | 'usage'> {
  read(): PolicyInForce {
    const { stores, turns } = this.parts
    return turns.takeUntilClosed(() => readPolicy(stores))
  }

  /** Returns versions before `before`, newest first. */
  listVersions({ before, limit }: { before: number; limit: number }): PolicyVersion[] {
    const { stores, turns } = this.parts
    return turns.takeUntilClosed(() => stores.policies.list(before, limit))
  }

  /** Takes several turns. */
  async simulate(wanted: SimulationRequest): Promise<SimulatedDecision[]> {
    const { sql, stores, turns, usage } = this.parts
    await usage.answer(turns.takeUntilClosed, () => undefined)
    const parts = { stores, index: new CallIndexStore(sql), takeTurn: turns.takeUntilClosed }
    return simulatePolicy(parts, wanted, Date.now())
  }

  change(wanted: PolicyChangeRequest, act: Act): PolicyChangeResult {
    return this.parts.turns.change((stores, now) => changePolicy(stores, wanted, act, now))
  }
}

export function readPolicy({ journal, policies }: PolicyStores): PolicyInForce {
  const { policy } = journal.state
  return { ...policy, made: policies.find(policy.version) }
}

/** A policy that equals the one in force changes nothing. */
function changePolicy(stores: Stores, wanted: PolicyChangeRequest, act: Act, now: number): PolicyChangeResult {
  const { journal, policies } = stores
  const { reason = null, ifVersion, mayWithdraw = false } = wanted
  const { policy: before, settings } = journal.state
  if (ifVersion !== null && ifVersion !== before.version) return { outcome: 'stale', version: before.version }
  const merged = 'document' in wanted ? wanted.document : applyMergePatch(before.document, wanted.patch)
  const document = 'document' in wanted ? wanted.document : readPolicyDocument(merged)
  if (document === null) return { outcome: 'invalid', document: merged }
  const unknown = findUnknownModel(document, before.document)
  if (unknown !== null) return { outcome: 'unknown_model', ...unknown }
  const { tier } = settings
  if (!mayAskApproval(tier, document, before.document)) return { outcome: 'tier_required', tier }
  const loosened = findLoosenedRules(before.document, document, settings)
  if (act.actor.startsWith('key_')) {
    if (changesApproval(document, before.document)) return { outcome: 'person_required', rule: 'human_approval' }
    if (loosened.some(({ rule }) => rule === 'data_region')) return { outcome: 'person_required', rule: 'data_region' }
  }
  const { high_risk_use_cases: highRisk = [] } = document
  const retention = decideHighRiskUseCases(settings, highRisk, before.document.high_risk_use_cases ?? [])
  if (retention.outcome === 'refused') {
    return { outcome: 'high_risk_retention', retentionDays: retention.retentionDays }
  }
  const policy = versionPolicy(before.version + 1, document)
  if (policy.sha256 !== before.sha256) {
    endDueApprovals(stores, now)
    const waiting = [...journal.state.approvals].flatMap(([id, { state }]) => (state === 'claimed' ? [] : [id]))
    const seen = typeof mayWithdraw === 'boolean' ? (mayWithdraw ? waiting : []) : mayWithdraw
    if (waiting.some((id) => !seen.includes(id))) return { outcome: 'waiting', requests: waiting.length }
    const content = { ...toNamedPolicy(policy), ...(reason !== null && { reason_sha256: sha256Hex(reason) }) }
    appendAct(journal, { ...act, content }, now, { outcome: POLICY_CHANGED })
    const changes = findPolicyChanges(before.document, document)
    const changed_rules = [...new Set(changes.map(({ path }) => path.split('/')[1] ?? ''))]
    const data = { ...causeOf(act), version: policy.version, sha256: policy.sha256, changed_rules }
    notify(stores.outbox, { type: 'policy.changed', data }, now)
    policies.insert({ version: policy.version, document, reason, madeAt: now, actor: act.actor })
    endDueApprovals(stores, now)
  }
  return { outcome: 'changed', policy: readPolicy(stores), warnings: retention.warnings, loosened }
}

/**
 * SECURITY: a key must not let its own calls run by changing what people must approve. The use cases that callers must
 * declare count too, if approval depends on them.
 */
function changesApproval(document: PolicyDocument, before: PolicyDocument): boolean {
  const { human_approval: approval } = before
  if (approval === undefined) return false
  const dependsOnUseCase = approval.when.some(({ use_cases }) => use_cases !== undefined)
  return (
    !isSame(document.human_approval, approval) ||
    (dependsOnUseCase && !isSame(document.use_case_guard, before.use_case_guard))
  )
}

/** A rule made before a downgrade of the tier stays in force, and may be sent again unchanged. */
function mayAskApproval(tier: Tier, { human_approval: wanted }: PolicyDocument, before: PolicyDocument): boolean {
  if (wanted === undefined || TIERS_WITH_APPROVAL.includes(tier)) return true
  return isSame(wanted, before.human_approval)
}

const isSame = <Rule extends object>(one: Rule | undefined, other: Rule | undefined): boolean =>
  canonicalJson(one ?? null) === canonicalJson(other ?? null)
