// Reads an organisation's counts, and works out the same from its exported entries alone. The second way shares no arithmetic
// with the counting.
import { env } from 'cloudflare:workers'
import { ENDING_NAMES } from '../../../../src/evidence/records/call-endings.ts'
import type { AnalyticsRow, WantedAnalytics } from '../../../../src/organisation/usage/read-analytics.ts'
import type { ChatOrganisation } from '../chat-organisation.ts'

export const DAY_MS = 86_400_000

export const objectOf = ({ id }: Pick<ChatOrganisation, 'id'>) =>
  env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))

/** The only cohort that a call may then declare. */
export async function declareCohort(organisation: Pick<ChatOrganisation, 'id'>, cohort: string): Promise<void> {
  const act = { actor: 'operator', act: 'policy.put', requestId: 'req_policy' } as const
  await objectOf(organisation).policy.change({ document: { bias: { cohorts: [cohort] } }, ifVersion: null }, act)
}

export async function ask(organisation: Pick<ChatOrganisation, 'id'>, wanted: Partial<WantedAnalytics> = {}) {
  const answer = await objectOf(organisation).usage.analyse({
    days: { first: 0, last: 80_000 },
    bucket: 'total',
    by: 'all',
    latencies: false,
    limit: 100_000,
    after: null,
    ...wanted,
  })
  if (answer.outcome !== 'answered') throw new Error(answer.outcome)
  return answer
}

export const checkUsage = (organisation: Pick<ChatOrganisation, 'id'>) => objectOf(organisation).usage.check()

type Exported = { position: number; kind: string; content: string; facts: string | null }

/** A call as its entries tell it. `day`: of its record, or the one after the last that was closed before it. */
type Told = {
  day: number
  key: string
  model: string
  useCase: string | null
  ending: string
  refused: boolean
  tokens: number
  cost: number
  prevented: number
  ms: number | null
}

export async function tellCalls(organisation: Pick<ChatOrganisation, 'id'>): Promise<{ ended: Told[]; open: number }> {
  const entries: Exported[] = []
  for (let from: number | null = 0; from !== null;) {
    const page = await objectOf(organisation).export.readEntries({ from, before: 1_000_000, receiptsOnly: false })
    entries.push(...page.entries)
    from = page.next
  }
  const settlements = new Map(
    entries
      .filter(({ kind }) => kind === 'settlement')
      .map(({ content }) => JSON.parse(content) as Record<string, unknown>)
      .map((settlement) => [settlement['settles'], settlement]),
  )
  const steps = entries.filter(({ kind }) => kind === 'approval').map(({ content }) => JSON.parse(content) as Step)
  const closings = entries
    .filter(({ kind }) => kind === 'usage_closed')
    .map(({ position, content }) => ({ position, day: dayOf((JSON.parse(content) as { day: string }).day) }))
  const decisions = entries.filter(({ kind }) => kind === 'chat_decision')
  const calls = decisions
    .filter((decision) => !isFurtherRecord(decision, decisions))
    .map(({ position, content, facts }) => {
      const record = JSON.parse(content) as Record<string, unknown>
      const beside = JSON.parse(facts ?? '{}') as Record<string, unknown>
      const settlement =
        record['outcome'] === 'ALLOWED'
          ? settlements.get(position)
          : { ended: endOfHeld(beside['approval_id'], steps) ?? record['outcome'] }
      const own = dayOf(String(record['timestamp']))
      const closed = closings
        .filter((closing) => closing.position < position && closing.day >= own)
        .map(({ day }) => day)
      const usage = Object.values((settlement?.['usage'] ?? {}) as Record<string, number>)
      return {
        day: closed.length === 0 ? own : Math.max(...closed) + 1,
        key: String(beside['key_id']),
        model: String(record['model']),
        useCase: (beside['use_case'] ?? null) as string | null,
        ending: settlement === undefined ? 'open' : String(settlement['ended']).toLowerCase(),
        refused: settlement?.['ended'] === 'completed' && settlement['finish_reason'] === 'content_filter',
        tokens: usage.reduce((sum, each) => sum + each, 0),
        cost: Number(settlement?.['cost_microeur'] ?? 0),
        prevented:
          settlement?.['ended'] === 'awaiting_approval' ? 0 : Math.round(Number(record['cost_prevented_eur']) * 1e6),
        ms: (settlement?.['upstream_ms'] ?? null) as number | null,
      }
    })
  return {
    ended: calls.filter(({ ending }) => ending !== 'open'),
    open: calls.filter(({ ending }) => ending === 'open').length,
  }
}

type Step = { step: string; approval_id: string; decision?: string }

/** True for a refusal whose call ran later, and for one that repeats a request which was waiting already. */
function isFurtherRecord({ position, content, facts }: Exported, decisions: readonly Exported[]): boolean {
  const { approval_id: approval } = JSON.parse(facts ?? '{}') as { approval_id?: string }
  const isRun = (text: string): boolean => (JSON.parse(text) as { outcome: string }).outcome === 'ALLOWED'
  if (approval === undefined || isRun(content)) return false
  const others = decisions.filter((other) => other.position !== position && (other.facts ?? '').includes(approval))
  const runs = others.filter((other) => isRun(other.content)).map((other) => other.position)
  if (runs.some((run) => run > position)) return true
  const since = Math.max(-1, ...runs)
  return others.some((other) => !isRun(other.content) && other.position > since && other.position < position)
}

/** What became of a request that waited and never ran; null if it did not wait. */
function endOfHeld(approval: unknown, steps: readonly Step[]): string | null {
  if (approval === undefined) return null
  const last = steps.findLast((step) => step.approval_id === approval)
  if (last?.step === 'decided' && last.decision === 'deny') return 'denied'
  return last?.step === 'expired' || last?.step === 'withdrawn' ? last.step : 'awaiting_approval'
}

const dayOf = (text: string): number => Math.floor(Date.parse(text.slice(0, 10)) / DAY_MS)

/** Adds calls up under a value, as the rows of an answer do. */
export function addUp(calls: readonly Told[], by: (call: Told) => string | null): Record<string, unknown> {
  const sums: Record<string, Record<string, number>> = {}
  for (const call of calls) {
    const sum = (sums[`${call.day} ${by(call)}`] ??= {})
    const add = (name: string, amount: number): void => void (sum[name] = (sum[name] ?? 0) + amount)
    add('requests', 1)
    add(call.ending, 1)
    if (call.refused) add('refused', 1)
    add('tokens', call.tokens)
    add('cost', call.cost)
    add('prevented', call.prevented)
    add('ms', call.ms ?? 0)
    add('timed', call.ms === null ? 0 : 1)
  }
  return sums
}

/** The same form of what was answered. */
export function presentRows(rows: readonly AnalyticsRow[]): Record<string, unknown> {
  const present = rows.map((row) => [
    `${row.day} ${row.value}`,
    {
      requests: row.requests,
      ...Object.fromEntries(ENDING_NAMES.filter((ending) => row[ending] > 0).map((ending) => [ending, row[ending]])),
      ...(row.refused > 0 && { refused: row.refused }),
      tokens: row.input + row.cache_read + row.cache_write + row.output + row.reasoning,
      cost: row.cost_microeur,
      prevented: row.prevented_microeur,
      ms: row.upstream_ms,
      timed: row.timed,
    },
  ])
  return Object.fromEntries(present) as Record<string, unknown>
}
