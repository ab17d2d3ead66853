// Gathers the facts for the checklist and a report, in several turns with calls served in between: usage counts, a sample of
// the log, the approvals, and in the last turn the present state.
import { ProgressStore } from '../journal/progress.store.ts'
import { DAY_MS } from '../../platform/time.ts'
import { planOf } from '../../policies/tier.policy.ts'
import { readPolicy } from '../policy/policy.target.ts'
import { lastUseOf } from '../journal/state/calls.ts'
import { gatherApprovals } from './approval-facts.ts'
import { gatherBias } from './bias-facts.ts'
import { countReceipts } from './count-receipts.ts'
import type { Gathered, Period } from './gathered.ts'
import type { ObjectParts } from '../object-parts.ts'
import { checkTree, findIncidents, readSealed } from './log-facts.ts'
import { sampleEntries } from './sample-entries.ts'
import { StatementsStore } from './statements.store.ts'
import { readUsageFacts, type UsageFacts } from './usage-facts.ts'

/** Acts by which entries with their leaves, or a signed head, leave the service. */
export const TAKING_OUT = [
  'settings.export',
  'compliance.audit_export',
  'compliance.report',
  'receipts.export',
] as const

const BIAS_REPORT = 'compliance.bias_report'

/** More than an organisation may have. */
const MOST_KEYS = 2000

export type GatheringParts = Pick<
  ObjectParts,
  'sql' | 'stores' | 'turns' | 'archive' | 'logReader' | 'log' | 'usage' | 'anomalies' | 'submitter'
>

/** Rejects if R2 or the index does. */
export async function gather(parts: GatheringParts, period: Period, now: number): Promise<Gathered> {
  const { sql, stores, archive, logReader, log } = parts
  const takeTurn = parts.turns.open
  const { journal } = stores
  await parts.anomalies.lookIfDue(now)
  const counted = await parts.usage.answer(takeTurn, (sums) => ({
    usage: readUsageFacts(sums, period),
    inFlightOf: inFlightByDay((day) => sums.inFlight({ first: day, last: day }), period),
    size: journal.state.next,
  }))
  const recorded = await compareReceipts(sql, period, counted)
  const bias = await gatherBias(parts, period)
  const sample = await sampleEntries({ sql, archive, size: counted.size, random: Math.random }, period, now)
  const approvals = await gatherApprovals({ stores, archive, takeTurn }, period, now)
  const statements = takeTurn(() => new StatementsStore(sql).list())
  const incidents = await findIncidents(logReader, statements, now)
  const known = takeTurn(() => journal.tree)
  const tree = await checkTree(log, known)
  return takeTurn(() => ({
    now,
    ...standing(parts, now),
    usage: counted.usage,
    recorded,
    sample,
    approvals: approvals.facts,
    approvalCounts: approvals.counts,
    bias,
    incidents,
    statements,
    tree,
    root: known.root,
  }))
}

/** Reads the present state in one turn. */
function standing({ sql, stores, submitter }: GatheringParts, now: number) {
  const { journal, keys } = stores
  const { settings, calls } = journal.state
  const { version, document, made } = readPolicy(stores)
  return {
    tier: settings.tier,
    publication: {
      lastReceipt: new ProgressStore(sql).read().lastReceipt,
      waiting: submitter.oldestWaiting(),
    },
    lastExport: journal.latestActs.find(TAKING_OUT),
    lastBiasReport: journal.latestActs.find([BIAS_REPORT]),
    apiKeys: keys
      .pageOfKeys({ status: 'active', limit: MOST_KEYS, cursor: null }, now)
      .map(({ id, scopes, createdAt, expiresAt, lastUsedAt }) => {
        return { id, scopes, createdAt, expiresAt, lastUsedAt: lastUseOf(calls, id) ?? lastUsedAt }
      }),
    policy: { version, document, madeBy: made?.actor ?? null },
    hasMonthlyBudget: settings.monthlyBudgetMicroeur !== null,
    enabledProviders: [...settings.enabledProviders],
    contentDays: settings.contentRetentionDays,
    retentionDays: planOf(settings).retentionDays,
    sealed: readSealed(sql),
  }
}

type Counted = { usage: UsageFacts; inFlightOf: ReadonlyMap<number, number>; size: number }

async function compareReceipts(
  sql: SqlStorage,
  { first, last }: Period,
  { usage, inFlightOf, size }: Counted,
): Promise<Gathered['recorded']> {
  const days = await countReceipts(sql, { first, last, size })
  if (days === null) return null
  const isIn = (day: number): boolean => day >= days.first && day <= days.last
  const sum = (counts: Iterable<readonly [number, number]>): number =>
    [...counts].reduce((total, [day, count]) => (isIn(day) ? total + count : total), 0)
  const counted = sum(usage.byDay.map(({ day, requests }) => [day, requests]))
  const inFlight = sum(inFlightOf)
  if (days.receipts === 0 && counted === 0 && inFlight === 0) return null
  return { from: dateOf(days.first), to: dateOf(days.last), receipts: days.receipts, counted, inFlight }
}

function inFlightByDay(count: (day: number) => number, { first, last }: Period): Map<number, number> {
  const counts = new Map<number, number>()
  for (let day = first; day <= last; day += 1) counts.set(day, count(day))
  return counts
}

const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)
