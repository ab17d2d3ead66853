// What a search of a model's answer found: the member `answer_scan` of a call's settlement. Names and counts, never values or places.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { canonicalJson } from './canonical-json.ts'

/**
 * `full`: all that went out was read. `partial`: what `unread` names went out unread. `none`: nothing was read, because no rule asks
 * for it or nothing went out, or nobody knows.
 */
export const ANSWER_COVERAGES = ['full', 'partial', 'none'] as const
export type AnswerCoverage = (typeof ANSWER_COVERAGES)[number]

/** The parts of an answer that may go out unread: sealed thinking, what only one provider has, and what is beyond the limit. */
export const UNREAD_PARTS = ['sealed_thinking', 'provider_members', 'too_long'] as const
export type UnreadPart = (typeof UNREAD_PARTS)[number]

/** A reason to stop beside the shapes: the answer is too long to be searched. */
export const TOO_LONG = 'too_long' satisfies UnreadPart

/**
 * `found`: how often each shape was found, without ignored ones. `redacted`: how many values were taken out. `stopped`: the shapes
 * for which the answer was stopped, or `too_long`.
 */
export type AnswerScan = {
  readonly coverage: AnswerCoverage
  readonly found: Readonly<Record<string, number>>
  readonly redacted: number
  readonly stopped: readonly string[]
  readonly unread: readonly UnreadPart[]
}

export const stopReason = (stopped: readonly string[]): string =>
  stopped.includes(TOO_LONG) ? `not_searched: ${TOO_LONG}` : `found: ${stopped.join(', ')}`

export const NOT_SEARCHED: AnswerScan = { coverage: 'none', found: {}, redacted: 0, stopped: [], unread: [] }

/** Returns the member, without what is empty. */
export const answerScanMember = ({ coverage, found, redacted, stopped, unread }: AnswerScan) => ({
  coverage,
  ...(Object.keys(found).length > 0 && { found: { ...found } }),
  ...(redacted > 0 && { redacted }),
  ...(stopped.length > 0 && { stopped: [...stopped] }),
  ...(unread.length > 0 && { unread: [...unread] }),
})

export const foundIn = ({ found }: AnswerScan): number => Object.values(found).reduce((sum, count) => sum + count, 0)

export const SCAN_MALFORMED = 'Its answer_scan is not in its form.'

/**
 * Reads the member of a settlement's content. Returns null if there is none, as in those of older versions, or it is not exactly what a
 * search writes. The order of `stopped` is that of the shapes, of which a newer version may have more: it is not checked.
 */
export function readAnswerScan({ answer_scan: member }: JsonObject): AnswerScan | null {
  if (!isJsonObject(member)) return null
  const { found = {} } = member
  if (!isCounts(found)) return null
  const unread = wordsIn(member['unread'])
  const scan: AnswerScan = {
    coverage: ANSWER_COVERAGES.find((one) => one === member['coverage']) ?? 'none',
    found,
    redacted: Number(member['redacted'] ?? 0),
    stopped: wordsIn(member['stopped']),
    unread: UNREAD_PARTS.filter((part) => unread.includes(part)),
  }
  const { coverage, redacted, stopped } = scan
  const isFitting =
    canonicalJson(answerScanMember(scan)) === canonicalJson(member) &&
    stopped.every((why) => why === TOO_LONG || Object.hasOwn(found, why)) &&
    (coverage === 'none' || (coverage === 'full') === (unread.length === 0)) &&
    redacted <= foundIn(scan)
  return isFitting ? scan : null
}

const isCounts = (value: unknown): value is Record<string, number> =>
  isJsonObject(value) && Object.values(value).every((count) => Number.isSafeInteger(count) && Number(count) > 0)

const wordsIn = (list: unknown): string[] => (Array.isArray(list) ? list.map(String) : [])
