// Makes values of controls again from the entries of an audit export: counts of a period's calls and approvals, and what a sample
// or a position has. Whoever holds an export can compare them with the evidence of a report.
import type { EntryObserver, SeenEntry } from '../../evidence/verify/check-options.ts'
import { drawSample } from '../../evidence/tree/draw-sample.ts'
import type { Sha256 } from '../../evidence/tree/merkle-hash.ts'
import { RECEIPT_KIND } from '../../evidence/entry-tags.ts'
import { settledEndingOf } from '../../evidence/records/call-endings.ts'
import { CONTENT_KINDS } from '../../policies/facts.ts'
import { dataRegionOf, type DataRegion } from '../../platform/data-region.ts'
import { toEur } from '../../platform/money.ts'
import { DAY_MS } from '../../platform/time.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import type { Control } from '../report/report.schema.ts'
import { someNames, type EvidenceValues } from './control.ts'

/** `before`: entries from this position on came after the report. `start`, `end`: UTC days, both included. */
export type ReportedPeriod = { readonly start: string; readonly end: string; readonly before: number }

/** `isFurther`: it repeats a call that waited for a person, so it is no call of its own. `ended`: null while it runs. */
type Call = {
  readonly day: string
  model: string
  readonly useCase: string | null
  readonly kinds: readonly string[]
  readonly retentionDays: number
  readonly publicKey: string
  isFurther: boolean
  readonly isInPeriod: boolean
  readonly isAllowed: boolean
  /** It ran after a person had approved it. */
  readonly isApproved: boolean
  ended: string | null
  isEstimated: boolean
  microeur: number
  /** The region of its route; null if it reached no provider. */
  routedIn: DataRegion | null
}

type ApprovalStep = { id: string; step: string; decision: string }

export class LogValues implements EntryObserver {
  readonly #period: ReportedPeriod
  readonly #sha256: Sha256
  /** The export’s first line; null before it. */
  head: JsonObject | null = null
  /** Entries before the report that the export withholds because their retention is over. */
  expired = 0
  /** Positions of reports in the log, by the report’s SHA-256. */
  readonly reports = new Map<string, number>()
  readonly #unreadable = new Set<number>()
  readonly #calls = new Map<number, Call>()
  readonly #acts = new Map<number, JsonObject>()
  readonly #otherEntries = new Set<number>()
  readonly #approvalSteps: ApprovalStep[] = []
  /** The call of each approval: its first refusal, or its run. */
  readonly #heldCalls = new Map<string, Call>()

  constructor(period: ReportedPeriod, sha256: Sha256) {
    this.#period = period
    this.#sha256 = sha256
  }

  begin(head: JsonObject): void {
    this.head = head
  }

  takeWithheld(index: number, why: unknown): void {
    if (index >= this.#period.before) return
    if (why === 'unreadable') this.#unreadable.add(index)
    else this.expired += 1
  }

  take({ index, kind, content, at, facts }: SeenEntry): void {
    const { act, sha256 } = content
    // The entry about a report comes after everything that the report is about.
    if (act === 'compliance.report' && typeof sha256 === 'string') this.reports.set(sha256, index)
    if (index >= this.#period.before) return
    if (kind === RECEIPT_KIND) {
      this.#takeDecision(index, content, facts ?? {}, this.#isInPeriod(at))
      return
    }
    this.#otherEntries.add(index)
    if (kind === 'settlement') this.#settle(content)
    if (kind === 'approval' && this.#isInPeriod(at)) {
      const { approval_id: id, step, decision } = content
      this.#approvalSteps.push({ id: String(id), step: String(step), decision: String(decision) })
    }
    if (typeof act !== 'string') return
    this.#acts.set(index, content)
    if (act === 'call.correct_cost') this.#correctCost(content)
  }

  #isInPeriod(at: unknown): boolean {
    const day = dayOf(at)
    return day >= this.#period.start && day <= this.#period.end
  }

  #takeDecision(index: number, record: JsonObject, facts: JsonObject, isInPeriod: boolean): void {
    const { use_case: useCase, content_kinds: kinds, approval_id: approval } = facts
    const held = typeof approval === 'string' ? this.#heldCalls.get(approval) : undefined
    const isAllowed = record['outcome'] === 'ALLOWED'
    const call: Call = {
      day: dayOf(record['timestamp']),
      model: String(record['model']),
      useCase: typeof useCase === 'string' ? useCase : null,
      kinds: Array.isArray(kinds) ? kinds.map(String) : [],
      retentionDays: Number(facts['retention_days']),
      publicKey: String(record['public_key']),
      isFurther: held !== undefined && !isAllowed,
      isInPeriod,
      isAllowed,
      isApproved: isAllowed && typeof approval === 'string',
      ended: isAllowed ? null : 'refused',
      isEstimated: false,
      microeur: 0,
      routedIn: null,
    }
    this.#calls.set(index, call)
    if (typeof approval !== 'string' || call.isFurther) return
    // A call that ran after approval counts once, on the day of its run.
    if (held !== undefined) held.isFurther = true
    this.#heldCalls.set(approval, call)
  }

  #settle({ settles, ended, estimated, cost_microeur: microeur, model, route, places }: JsonObject): void {
    const call = typeof settles === 'number' ? this.#calls.get(settles) : undefined
    if (call === undefined) return
    call.ended = settledEndingOf(ended)
    if (typeof model === 'string') call.model = model
    call.isEstimated = estimated === true
    call.microeur = typeof microeur === 'number' ? microeur : 0
    if (typeof route === 'string') call.routedIn = dataRegionOf(Array.isArray(places) ? places.map(String) : null)
    else call.routedIn = call.ended === 'interrupted' ? 'any' : null
  }

  #correctCost({ call: index, cost_microeur: microeur }: JsonObject): void {
    const call = typeof index === 'number' ? this.#calls.get(index) : undefined
    if (call === undefined || typeof microeur !== 'number') return
    call.microeur = microeur
    call.isEstimated = false
  }

  /** Returns the values of a control that the log shows. Null if it shows none of them. */
  valuesOf(control: Control): EvidenceValues | null {
    return MADE_FROM_LOG[control.id]?.(this, control) ?? null
  }

  receiptsOf(from: string, to: string): number {
    return [...this.#calls.values()].filter(({ day }) => day >= from && day <= to).length
  }

  /** Returns the calls of the period that have ended, each once. */
  get calls(): Call[] {
    return [...this.#calls.values()].filter((call) => call.isInPeriod && call.ended !== null && !call.isFurther)
  }

  /** Returns the calls of the period that were sent to a model, or answered from the cache. */
  get passed(): Call[] {
    return [...this.#calls.values()].filter((call) => call.isInPeriod && call.isAllowed && call.ended !== null)
  }

  get approvals() {
    const steps = (step: string): ApprovalStep[] => this.#approvalSteps.filter((one) => one.step === step)
    const decided = steps('decided').filter(({ decision }) => decision !== 'escalate')
    return { decisions: decided.length, executed: steps('executed').length }
  }

  /** Returns what the export has of the drawn positions. */
  sampled({ sample }: Control['evidence']) {
    const ranges = sample === undefined ? [] : drawSample({ ...sample, treeSize: sample.tree_size }, this.#sha256)
    const positions = ranges.flatMap(({ from, before }) => Array.from({ length: before - from }, (_, at) => from + at))
    const calls = positions.flatMap((position) => this.#calls.get(position) ?? [])
    const others = positions.filter((position) => this.#otherEntries.has(position))
    return {
      calls,
      read: calls.length + others.length,
      unreadable: positions.filter((position) => this.#unreadable.has(position)).length,
    }
  }

  /** Returns the calls that a control looked at: those of the sample, and the latest ones. */
  lookedAt(evidence: Control['evidence']): Call[] {
    const from = evidence.sample?.calls_from ?? Infinity
    const latest = [...this.#calls].flatMap(([index, call]) => (index >= from ? [call] : []))
    return [...new Set([...latest, ...this.sampled(evidence).calls])].filter(({ isInPeriod }) => isInPeriod)
  }

  /** Returns the act at the first position of the evidence. Empty if another entry is there. */
  actOf({ positions: [position = -1] = [] }: Control['evidence']): JsonObject {
    return this.#acts.get(position) ?? {}
  }
}

const dayOf = (time: unknown): string => (typeof time === 'string' ? time.slice(0, 10) : '')

const useCasesOf = (calls: readonly Call[]): string[] => calls.flatMap(({ useCase }) => useCase ?? [])

const inStateOf = (calls: readonly Call[], ended: string): Call[] => calls.filter((call) => call.ended === ended)

const daysBetween = (from: unknown, to: string): number | null =>
  typeof from === 'string' ? Math.floor((Date.parse(to) - Date.parse(from)) / DAY_MS) : null

const lookedAt = (log: LogValues, evidence: Control['evidence']) => ({ calls_looked_at: log.lookedAt(evidence).length })

/** The values of controls that the log shows, by the names that the report has. */
const MADE_FROM_LOG: Readonly<Record<string, (log: LogValues, control: Control) => EvidenceValues>> = {
  L1: (log, { evidence: { values } }) => ({
    receipts: log.receiptsOf(String(values?.['from']), String(values?.['to'])),
  }),
  L2: (log, { evidence }) => ({ entries_read: log.sampled(evidence).read }),
  L4: (log, { evidence, checked_at: now }) => {
    const { act, at } = log.actOf(evidence)
    return { act: typeof act === 'string' ? act : null, days_ago: daysBetween(at, now) }
  },
  L6: (log, { evidence }) => {
    const { read, unreadable } = log.sampled(evidence)
    return { entries_looked_for: read + unreadable, unreadable }
  },
  L5: (log, { evidence }) => {
    const days = log.lookedAt(evidence).map((call) => call.retentionDays)
    return { least_of_calls: days.length === 0 ? null : Math.min(...days) }
  },
  L7: ({ passed }) => ({ passed: passed.length, interrupted: inStateOf(passed, 'interrupted').length }),
  L8: ({ passed }) => {
    const completed = inStateOf(passed, 'completed')
    return { completed: completed.length, estimated: completed.filter(({ isEstimated }) => isEstimated).length }
  },
  K1: (log, { evidence }) => ({
    keys_of_sample: new Set(log.sampled(evidence).calls.map((call) => call.publicKey)).size,
  }),
  P1: (log, { evidence }) => {
    const { actor, policy_version: version, document } = log.actOf(evidence)
    return {
      made_by: typeof actor === 'string' ? actor : null,
      policy_version: typeof version === 'number' ? version : null,
      rules: isJsonObject(document) ? Object.keys(document).toSorted() : [],
    }
  },
  P2: (log, { evidence }) => ({
    models_used: someNames([...new Set(log.passed.map(({ model }) => model))].toSorted()),
    ...lookedAt(log, evidence),
  }),
  P3: ({ calls }) => ({ requests: calls.length, with_use_case: useCasesOf(calls).length }),
  P4: (log, { evidence }) => {
    const kinds = new Set(log.lookedAt(evidence).flatMap((call) => call.kinds))
    return { kinds_in_use: CONTENT_KINDS.filter((kind) => kinds.has(kind)), ...lookedAt(log, evidence) }
  },
  P5: (log, { evidence }) => ({
    spent_eur: toEur(log.passed.reduce((sum, { microeur }) => sum + microeur, 0)),
    ...lookedAt(log, evidence),
  }),
  P6: (log, { evidence }) => lookedAt(log, evidence),
  H1: (log, { evidence }) => {
    const high = evidence.values?.['high_risk_use_cases']
    const came = log.lookedAt(evidence).filter(({ useCase }) => Array.isArray(high) && high.includes(useCase ?? ''))
    return {
      calls: came.length,
      ran_without_approval: came.filter((call) => call.isAllowed && !call.isApproved).length,
    }
  },
  H2: ({ approvals: { decisions } }) => ({ decisions }),
  H3: ({ approvals: { executed } }) => ({ executed }),
  D1: ({ calls }) => {
    const count = (region: DataRegion): number => calls.filter(({ routedIn }) => routedIn === region).length
    return { routed_eu: count('eu'), routed_eea_ch: count('eea_ch'), routed_elsewhere: count('any') }
  },
  D5: ({ calls }) => ({ purposes: new Set(useCasesOf(calls)).size }),
  M1: (log, { evidence, checked_at: now }) => {
    const { act, at } = log.actOf(evidence)
    return { days_ago: act === 'compliance.bias_report' ? daysBetween(at, now) : null }
  },
}
