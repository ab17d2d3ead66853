// Gathers the facts for the compliance checklist and report: usage counts, a sample of the log, approvals, and the present state.
// Gathering takes several turns; calls are served in between. The result goes to the Worker by RPC.
import type { Facts, CallFacts, SeenCall } from '../../reports/controls/control.ts'
import type { Anomaly } from '../bias/bias-measures.ts'
import { COMPARED_NAMES, type ComparedCallOutcome } from '../../reports/statistics/compared-outcomes.ts'
import { type BiasReport, type BiasQuery, compareOutcomes } from '../bias/bias.target.ts'
import { EXPORT_ACTS } from '../audit/made-exports.ts'
import { gatherApprovals } from './approval-facts.ts'
import { StatementsStore } from './reports-and-statements.store.ts'
import { LogProgressStore } from '../journal/log-progress.store.ts'
import { dateOf, DAY_MS, utcDay } from '../../platform/time.ts'
import { countActiveDays } from '../../keys/key-rules.policy.ts'
import { planOf, hasFeature } from '../../policies/tier.policy.ts'
import { readPolicy } from '../policies/policy.target.ts'
import { lastUseOf } from '../journal/state/calls.ts'
import { countBudgetDays, countReceipts, checkTree, findIncidents, readSealedData } from './log-facts.ts'
import type { ObjectParts } from '../object-parts.ts'
import { sampleEntries } from './sample-entries.ts'
import { contentOf } from '../../evidence/entry.ts'
import { readCoverage as readCoverageContent } from '../../evidence/records/coverage-entry.ts'
import type { TakeTurn } from '../organisation-stores.ts'
import type { StoredEntry } from '../journal/archive-object.ts'
import { outcomeCounts, type Endings } from '../../evidence/records/call-endings.ts'
import { addUp, type Sums } from '../usage/tally.ts'
import type { Days, UsageSum, UsageSumsStore } from '../usage/usage-sums.store.ts'
import type { KnownTree } from '../../tiles/proofs-from-tiles.ts'
import { AnomaliesStore } from '../bias/anomalies.store.ts'

export type GroupComparison = { query: BiasQuery; report: BiasReport }

/** Plain values, because they go to the Worker by RPC. `root`: the root of the log at the end, 32 bytes. */
export type GatheredFacts = Awaited<ReturnType<typeof gather>>

/** Acts by which entries with their leaves, or a signed head, leave the service. */
const EXPORTING_ACTS = [...EXPORT_ACTS, 'compliance.report']

const BIAS_REPORT = 'compliance.bias_report'
const POLICY_CHANGE = 'policy.put'

/** The most API keys that are read: more than an organisation may have. */
const MOST_KEYS = 2000

export type GatheringParts = Pick<
  ObjectParts,
  'sql' | 'stores' | 'turns' | 'archive' | 'logReader' | 'log' | 'usage' | 'anomalies' | 'submitter'
>

/** `seed`: of the sample, 64 hexadecimal digits. Null: the root of the log, which each new entry changes. */
export type GatheringQuery = Days & { seed: string | null }

/** Rejects if R2 or the public log's index fails. */
export async function gather(parts: GatheringParts, { seed, ...period }: GatheringQuery, now: number) {
  const { sql, stores, archive, logReader, log } = parts
  const takeTurn = parts.turns.takeUntilClosed
  const { journal } = stores
  await parts.anomalies.lookIfDue(now)
  const counted = await parts.usage.answer(takeTurn, (sums) => ({
    usage: readUsageFacts(sums, period),
    inFlightOf: inFlightByDay((day) => sums.inFlight({ first: day, last: day }), period),
    furtherRecords: sums.furtherRecords(period),
    log: journal.tree,
  }))
  const recorded = await compareReceipts(sql, period, counted)
  const bias = await gatherBias(parts, period)
  const { size, root } = counted.log
  const sample = await sampleEntries({ sql, archive, size, seed: seed ?? root.toHex() }, period, now)
  const approvals = await gatherApprovals({ stores, archive, takeTurn }, period, now)
  const statements = takeTurn(() => new StatementsStore(sql).list())
  const budgetDays = await countBudgetDays(parts, period, now)
  const incidents = await findIncidents(logReader, statements, now)
  const coverage = await readCoverage({ stores, archive, takeTurn }, period, now)
  const known = takeTurn(() => journal.tree)
  const tree = await checkTree(log, known)
  return takeTurn(() => ({
    now,
    ...readPresentState(parts, sample.calls, now),
    evaluationDays: countEvaluationDays(parts, period, now),
    budgetDays,
    usage: counted.usage,
    recorded,
    sample,
    approvals: approvals.facts,
    approvalCounts: approvals.counts,
    bias,
    incidents,
    statements,
    coverage,
    tree,
    root: known.root,
  }))
}

type CoverageParts = Pick<GatheringParts, 'stores' | 'archive'> & { takeTurn: TakeTurn }

/** Reads the coverage entries up to the end of a period that the log still names, the oldest first. Rejects if R2 fails. */
async function readCoverage({ stores, archive, takeTurn }: CoverageParts, { last }: Days, now: number) {
  const positions = takeTurn(() => [...stores.journal.state.coverage.values()].map(({ position }) => position))
  const found = await Promise.all(positions.map((position) => archive.findEntry(position, now)))
  if (found.some((one) => one.outcome === 'unreadable' && one.cause === 'storage_failed')) {
    throw new Error('the storage did not answer')
  }
  return found
    .flatMap((one) => (one.outcome === 'found' && utcDay(one.at) <= last ? describeCoverage(one) : []))
    .toSorted((one, other) => one.index - other.index)
}

/** Returns an empty array for the form of a newer version, which may have written the entry before a rollback. */
function describeCoverage({ position, at, entry }: StoredEntry) {
  const read = readCoverageContent(contentOf(entry))
  if (read === null) return []
  const { software, decides, writes_none } = read
  return [
    {
      index: position,
      written_at: new Date(at).toISOString(),
      version: software.version,
      source_sha256: software.source_sha256,
      worker_id: software.worker?.id ?? null,
      operations: decides.map(({ operation }) => operation),
      writes_none: writes_none.map(({ codes, why, counted, at_least: isBound = false }) => {
        return { codes: [...codes], why, counted, at_least: isBound }
      }),
    },
  ]
}

/** Returns on how many days of the period, up to today, a key for evaluation worked. */
const countEvaluationDays = ({ stores: { keys } }: GatheringParts, { first, last }: Days, now: number): number =>
  countActiveDays(keys.listForEvaluation(), { first, last: Math.min(last, utcDay(now)) })

/** Reads the present state in one turn. */
function readPresentState({ sql, stores, submitter }: GatheringParts, seen: readonly SeenCall[], now: number) {
  const { journal, keys } = stores
  const { settings, calls } = journal.state
  const { version, document, made } = readPolicy(stores)
  const versions = new Set(seen.map(({ policyVersion }) => policyVersion))
  const history = [...versions].flatMap((one) => stores.policies.find(one) ?? [])
  return {
    tier: settings.tier,
    publication: {
      lastReceipt: new LogProgressStore(sql).read().lastReceipt,
      waiting: submitter.oldestWaiting(),
    },
    lastExport: journal.latestActs.find(EXPORTING_ACTS),
    lastBiasReport: journal.latestActs.find([BIAS_REPORT]),
    lastPolicyChange: journal.latestActs.find([POLICY_CHANGE]),
    apiKeys: keys
      .pageOfKeys({ status: 'active', limit: MOST_KEYS, cursor: null }, now)
      .map(({ id, name, scopes, createdAt, expiresAt, lastUsedAt }) => {
        return { id, name, scopes, createdAt, expiresAt, lastUsedAt: lastUseOf(calls, id) ?? lastUsedAt }
      }),
    policy: {
      version,
      document,
      madeBy: made?.actor ?? null,
      history: history.map((one) => ({ version: one.version, document: one.document, madeBy: one.actor })),
    },
    monthlyBudgetMicroeur: settings.monthlyBudgetMicroeur,
    requirement: { secondFactor: settings.secondFactor, secondFactorFrom: settings.secondFactorFrom },
    enabledProviders: [...settings.enabledProviders],
    contentDays: settings.contentLogging?.retention_days ?? null,
    retentionDays: planOf(settings).retentionDays,
    sealed: readSealedData(sql),
  }
}

type CountedUsage = {
  usage: UsageFacts
  inFlightOf: ReadonlyMap<number, number>
  furtherRecords: readonly { day: number; records: number }[]
  log: KnownTree
}

async function compareReceipts(
  sql: SqlStorage,
  { first, last }: Days,
  { usage, inFlightOf, furtherRecords, log: { size } }: CountedUsage,
): Promise<Facts['recorded']> {
  const days = await countReceipts(sql, { first, last, size })
  if (days === null) return null
  const isIn = (day: number): boolean => day >= days.first && day <= days.last
  const sum = (counts: Iterable<readonly [number, number]>): number =>
    [...counts].reduce((total, [day, count]) => (isIn(day) ? total + count : total), 0)
  const counted = sum(usage.byDay.map(({ day, requests }) => [day, requests]))
  const inFlight = sum(inFlightOf)
  const further = sum(furtherRecords.map(({ day, records }) => [day, records]))
  if (days.receipts === 0 && counted === 0 && inFlight === 0) return null
  return { from: dateOf(days.first), to: dateOf(days.last), receipts: days.receipts, counted, inFlight, further }
}

function inFlightByDay(count: (day: number) => number, { first, last }: Days): Map<number, number> {
  const counts = new Map<number, number>()
  for (let day = first; day <= last; day += 1) counts.set(day, count(day))
  return counts
}

export type UsageFacts = {
  totals: Sums & Endings
  inFlight: number
  /** One sum for each day that has calls. */
  byDay: UsageSum[]
  byModel: UsageSum[]
  byUseCase: UsageSum[]
  calls: CallFacts
}

function readUsageFacts(counted: UsageSumsStore, days: Days): UsageFacts {
  const totalsBy = (by: 'model' | 'use_case' | 'ending'): UsageSum[] => counted.sums({ days, bucket: 'total', by })
  const byEnding = totalsBy('ending')
  const byUseCase = totalsBy('use_case')
  const byModel = totalsBy('model')
  const totals = addUp(byEnding)
  const declared = byUseCase.filter(({ value }) => value !== null)
  return {
    totals,
    inFlight: counted.inFlight(days),
    byDay: counted.sums({ days, bucket: 'day', by: 'all' }),
    byModel,
    byUseCase,
    calls: {
      requests: totals.requests,
      passed: countPassed(totals),
      completed: totals.completed,
      interrupted: totals.interrupted,
      estimated: byEnding.find(({ value }) => value === 'completed')?.estimated ?? 0,
      withUseCase: declared.reduce((sum, { requests }) => sum + requests, 0),
      useCases: declared.flatMap(({ value, requests }) => (value === null ? [] : [{ name: value, requests }])),
      models: byModel.flatMap((sum) => (sum.value !== null && countPassed(sum) > 0 ? [sum.value] : [])),
      costMicroeur: totals.cost_microeur,
      routed: { eu: totals.routed_eu, eea_ch: totals.routed_eea_ch, any: totals.routed_any },
    },
  }
}

/** Counts the calls that were sent to a model, or answered from the cache. */
const countPassed = (sums: Endings): number => outcomeCounts(sums).passed

/** The outcomes by which cohorts are compared. `approved` is excluded, because approvals have no cohort. */
const COMPARED: readonly ComparedCallOutcome[] = COMPARED_NAMES.filter((name) => name !== 'approved')

/** Only the newest are returned. */
const MOST_ANOMALIES = 500

/** Returns null if the tier has no bias detection. Rejects if R2 fails. */
async function gatherBias(
  { sql, stores, usage, turns }: Pick<ObjectParts, 'sql' | 'stores' | 'usage' | 'turns'>,
  { first, last }: Days,
): Promise<{ compared: GroupComparison[]; anomalies: Anomaly[] } | null> {
  const { settings, policy } = stores.journal.state
  if (!hasFeature(settings.tier, 'bias_detection')) return null
  const outcomes = policy.document.bias === undefined ? [] : COMPARED
  const compared: GroupComparison[] = []
  for (const outcome of outcomes) {
    const query = { first, last, by: 'cohort' as const, outcome, reference: null }
    const { journal, endedApprovals } = stores
    const report = await usage.answer(turns.takeUntilClosed, () =>
      compareOutcomes(sql, { approvals: journal.state.approvals.values(), endedApprovals }, query),
    )
    // Anomalies are returned once, for all comparisons.
    compared.push({ query, report: { ...report, anomalies: [] } })
  }
  const range = { since: first * DAY_MS, until: (last + 1) * DAY_MS }
  return {
    compared,
    anomalies: turns.takeUntilClosed(() => new AnomaliesStore(sql).list(range)).slice(-MOST_ANOMALIES),
  }
}
