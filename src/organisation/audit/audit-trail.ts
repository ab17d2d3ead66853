// Lists an organisation's calls that were made on given days and match a filter, newest first. A call is one row: a request that a
// person approved is the row of its run, and one that was sent again while it waited is the row of its first refusal. A filter that
// only calls can match which did not simply complete is answered from the call index. Other filters read the log: a page takes
// bounded work and lets other calls run in between, so it may have fewer calls than the limit, or none, although more follow.
import { contentOf, leafHash } from '../../evidence/entry.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { CorrectedCost } from '../admit/chat-costs.store.ts'
import { endDueApprovals } from '../approvals/approval-steps.ts'
import { findApproval, type AnyApproval } from '../approvals/read-approvals.ts'
import { isHeld, outcomeOfCall, readCall, type CallEnding, type LoggedCall } from '../journal/call-pages.ts'
import type { ObjectParts } from '../object-parts.ts'
import { CallIndexStore, type IndexedRow } from '../usage/call-index.store.ts'
import { UsageNamesStore } from '../usage/usage-names.store.ts'
import { heldCallsAt } from '../usage/held-calls.ts'
import { readRefusal } from '../usage/join-settlements.ts'
import {
  ENDING_NAMES,
  indexNumberOf,
  outcomeOf,
  settledEndingOf,
  type Ending,
  type Outcome,
} from '../../evidence/records/call-endings.ts'
import { isSought, listRangesOf, resolveText, type SoughtText } from './find-by-text.ts'
import { positionsOfDays, type Days } from './find-positions.ts'

/** A null member matches any value. `rule`: the policy rule that stopped the call. `text`: see find-by-text.ts. */
export type TrailFilter = {
  outcome: Outcome | null
  endings: readonly Ending[] | null
  rule: string | null
  reason: string | null
  model: string | null
  keyId: string | null
  useCase: string | null
  text: string | null
}

export const NO_TRAIL_FILTER: TrailFilter = {
  outcome: null,
  endings: null,
  rule: null,
  reason: null,
  model: null,
  keyId: null,
  useCase: null,
  text: null,
}

/** `before`: the position that the previous page ended with; null for the first page. */
export type TrailQuery = { days: Days; filter: TrailFilter; before: number | null; limit: number }

/** `held`: it waits for a person, or waited and never ran. */
export type TrailEnding = CallEnding | { state: 'held'; ending: Ending }

/** The approval that a call waits for, waited for, or ran with. `found`: null if it is no longer stored. */
export type CallApproval = {
  id: string
  found: (Pick<AnyApproval, 'state' | 'createdAt'> & { refusal: { attestationId: string; position: number } }) | null
}

/** `correction`: the cost that an owner has corrected it to; null if nobody did. */
export type TrailCall = LoggedCall & {
  ending: TrailEnding
  approval: CallApproval | null
  correction: CorrectedCost | null
}

/** `unreadable`: how many entries should be there but cannot be read. `next`: the `before` of the next page; null at the end. */
export type TrailPage = { calls: TrailCall[]; unreadable: number; next: number | null }

type Parts = Pick<ObjectParts, 'sql' | 'stores' | 'turns' | 'usage' | 'archive' | 'logReader' | 'newLeafReader'>

/** The most pages of log entries read for one page of the trail. Each has some hundred entries. */
const MOST_PAGES_READ = 48

/** A search reads no further page after this time, because a person waits for it. */
const MOST_SEARCH_MS = 150

/** Rejects if R2 fails; then retry. */
export async function readTrail(parts: Parts, query: TrailQuery, now: number): Promise<TrailPage> {
  const { stores, turns, usage, sql } = parts
  turns.takeUntilClosed(() => endDueApprovals(stores, now))
  const { size, indexed } = await usage.answer(turns.takeUntilClosed, () => {
    const endings = isCountedApart(sql, query.filter) ? indexedEndings(query.filter) : null
    return {
      size: stores.journal.state.next,
      indexed: endings && listIndexed(new CallIndexStore(sql), query, endings, now),
    }
  })
  return indexed === null ? walkLog(parts, query, size, now) : readIndexed(parts, indexed, query.limit, now)
}

/** False for a use case that is counted together with others: the index does not tell it from them. */
const isCountedApart = (sql: SqlStorage, { useCase }: TrailFilter): boolean =>
  useCase === null || new UsageNamesStore(sql).find('use_case', useCase) !== null

/** Returns the endings that a filter can match; null if calls that simply completed are among them, or the index lacks a member. */
export function indexedEndings({ outcome, endings, rule, reason, text }: TrailFilter): readonly Ending[] | null {
  if (text !== null) return null
  const matching = ENDING_NAMES.filter(
    (ending) =>
      (outcome === null || outcomeOf(ending) === outcome) &&
      (endings === null || endings.includes(ending)) &&
      (rule === null || outcomeOf(ending) !== 'passed') &&
      (reason === null || indexNumberOf(ending) !== null),
  )
  return matching.every((ending) => indexNumberOf(ending) !== null) ? matching : null
}

export const periodOf = ({ first, last }: Days) => ({ from: first * DAY_MS, until: (last + 1) * DAY_MS })

export const indexFilterOf = ({ rule, reason, model, keyId, useCase }: TrailFilter, endings: readonly Ending[]) => ({
  endings,
  rule,
  reason,
  ...(model !== null && { model }),
  ...(keyId !== null && { key: keyId }),
  ...(useCase !== null && { use_case: useCase }),
})

const listIndexed = (
  index: CallIndexStore,
  { days, filter, before, limit }: TrailQuery,
  endings: readonly Ending[],
  now: number,
): IndexedRow[] =>
  index.list({ period: periodOf(days), filter: indexFilterOf(filter, endings), before, limit: limit + 1 }, now)

async function readIndexed(
  { archive, stores }: Parts,
  indexed: readonly IndexedRow[],
  limit: number,
  now: number,
): Promise<TrailPage> {
  const page = indexed.slice(0, limit)
  const copied = page.flatMap(({ copies }) => [copies.decision, copies.settlement]).filter((entry) => entry !== null)
  const entryAt = new Map(copied.map((entry) => [entry.position, { ...entry, leafHash: leafHash(entry.entry) }]))
  const missing = page
    .flatMap(({ position, settlement }) => [position, settlement])
    .filter((position) => position !== null)
    .filter((position) => !entryAt.has(position))
  const { entries, unreadable } = await archive.readPositions(missing, now)
  for (const entry of entries) entryAt.set(entry.position, entry)
  const calls = page.flatMap(({ position, ending, settlement }) => {
    const decision = entryAt.get(position)
    if (decision === undefined) return []
    const settled = settlement === null ? undefined : entryAt.get(settlement)
    return readCall(decision).map((call) => describeCall(stores, call, endingOf(ending, settled)))
  })
  return { calls, unreadable, next: indexed.length > limit ? (page.at(-1)?.position ?? null) : null }
}

function endingOf(ending: Ending, settlement: LoggedCall['decision'] | undefined): TrailEnding {
  switch (outcomeOf(ending)) {
    case 'held':
      return { state: 'held', ending }
    case 'blocked':
    case 'suppressed':
      return { state: 'refused' }
    case 'passed':
      return settlement === undefined ? { state: 'not_kept' } : { state: 'settled', settlement }
  }
}

async function walkLog(
  parts: Parts,
  { days, filter, before, limit }: TrailQuery,
  size: number,
  now: number,
): Promise<TrailPage> {
  const { sql, stores, logReader, newLeafReader } = parts
  const index = new CallIndexStore(sql)
  const whole = { from: 0, before: Math.min(before ?? size, size) }
  const sought = filter.text === null ? null : await resolveText(parts, filter.text, whole, now)
  const candidates = await listRangesOf(sql, whole, filter, sought)
  if (candidates.length === 0) return NO_CALLS
  const { from: since, until } = periodOf(days)
  const areFew = candidates.reduce((sum, range) => sum + range.before - range.from, 0) <= FEW_POSITIONS
  const isByTime = sought !== null && (areFew || until > now)
  const { first, end } = isByTime ? { first: 0, end: size } : await positionsOfDays(newLeafReader(), days, size, now)
  const [latest, ...ranges] = candidates
    .map((range) => ({ from: Math.max(range.from, first), before: Math.min(range.before, end) }))
    .filter((range) => range.from < range.before)
  if (latest === undefined) return NO_CALLS
  const began = Date.now()
  let callPager = logReader.pageCalls({ ...latest, size }, now)
  const calls: TrailCall[] = []
  let unreadable = 0
  for (let pages = 1; ; pages += 1) {
    const page = await callPager.next()
    unreadable += page.unreadable
    const held = heldCallsAt({ stores, index }, page.calls, size)
    for (const call of page.calls.filter((one) => matches(one, filter, sought))) {
      if (isByTime && (call.decision.at < since || call.decision.at >= until)) continue
      const heldEnding = held.get(call.decision.position)
      // A held refusal without a row in the index belongs to another call of the trail.
      if (isHeld(call) && heldEnding === undefined) continue
      const ending: TrailEnding =
        heldEnding === undefined ? await callPager.endingOf(call) : { state: 'held', ending: heldEnding }
      if (filter.endings !== null && !endsAs(call, ending, filter.endings)) continue
      if (filter.reason !== null && reasonOf(call, ending) !== filter.reason) continue
      calls.push(describeCall(stores, call, ending))
      if (calls.length === limit) return { calls, unreadable, next: nextAfter(call, first) }
    }
    const next = isByTime && page.oldestAt < since ? null : (page.next ?? ranges[0]?.before ?? null)
    const isOver = pages === MOST_PAGES_READ || (sought !== null && Date.now() - began > MOST_SEARCH_MS)
    if (next === null || isOver) return { calls, unreadable, next }
    const [range] = page.next === null ? ranges.splice(0, 1) : []
    if (range !== undefined) callPager = logReader.pageCalls({ ...range, size }, now)
    await scheduler.wait(0)
  }
}

/** To find where days begin and end takes longer than to read so many entries and to leave out those of other days. */
const FEW_POSITIONS = 2000

const NO_CALLS: TrailPage = { calls: [], unreadable: 0, next: null }

const nextAfter = ({ decision: { position } }: LoggedCall, first: number): number | null =>
  position > first ? position : null

function matches(
  call: LoggedCall,
  { outcome, rule, model, keyId, useCase }: TrailFilter,
  sought: SoughtText | null,
): boolean {
  const { record, facts } = call
  return (
    (outcome === null || outcomeOfCall(call) === outcome) &&
    (rule === null || (outcomeOfCall(call) !== 'passed' && readRefusal(record, facts).rule === rule)) &&
    (model === null || record.model === model) &&
    (keyId === null || facts.key_id === keyId) &&
    (useCase === null || facts.use_case === useCase) &&
    (sought === null || isSought(call, sought))
  )
}

function endsAs(call: LoggedCall, ending: TrailEnding, wanted: readonly unknown[]): boolean {
  switch (ending.state) {
    case 'settled':
      return wanted.includes(settledEndingOf(contentOf(ending.settlement.entry)['ended']))
    case 'held':
      return wanted.includes(ending.ending)
    case 'refused':
      return wanted.includes(outcomeOfCall(call))
    case 'open':
    case 'not_kept':
    case 'unreadable':
      return false
  }
}

const reasonOf = ({ record, facts }: LoggedCall, ending: TrailEnding): unknown =>
  ending.state === 'settled' ? contentOf(ending.settlement.entry)['error_cause'] : readRefusal(record, facts).reason

function describeCall(stores: Parts['stores'], call: LoggedCall, ending: TrailEnding): TrailCall {
  const { approval_id: id } = call.facts
  const ended = { ...call, ending, correction: correctionOf(stores, call, ending) }
  if (id === undefined) return { ...ended, approval: null }
  const found = findApproval(stores, id)
  if (found === null) return { ...ended, approval: { id, found } }
  const { state, createdAt, attestation_id: attestationId, subject_position: position } = found
  return { ...ended, approval: { id, found: { state, createdAt, refusal: { attestationId, position } } } }
}

/** Only the cost of an interrupted call can be corrected. */
const correctionOf = (
  { costs }: Parts['stores'],
  { decision }: LoggedCall,
  ending: TrailEnding,
): CorrectedCost | null =>
  ending.state === 'settled' && contentOf(ending.settlement.entry)['ended'] === 'interrupted'
    ? costs.findCorrection(decision.position)
    : null
