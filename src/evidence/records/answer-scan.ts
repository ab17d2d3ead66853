// What a search of a model's answer found: the member `answer_scan` of a call's settlement. Names and counts, never values or places.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'

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
 * `found`: how often each shape was found, without ignored ones. `redacted`: how many values were taken out. `stopped`: the shapes for which the answer was
 * stopped, or `too_long`.
 */
export type AnswerScan = {
  readonly coverage: AnswerCoverage
  readonly found: Readonly<Record<string, number>>
  readonly redacted: number
  readonly stopped: readonly string[]
  readonly unread: readonly UnreadPart[]
}

/** Returns the reason in the error of a stopped answer. */
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

/** Reads the member of a settlement's content; null if it has none, as those of older versions, or has it in another form. */
export function readAnswerScan({ answer_scan: scan }: JsonObject): AnswerScan | null {
  if (!isJsonObject(scan)) return null
  const coverage = ANSWER_COVERAGES.find((one) => one === scan['coverage'])
  const { found = {}, redacted = 0, stopped = [], unread = [] } = scan
  if (coverage === undefined || !isCounts(found) || !isCount(redacted) || !isWords(stopped) || !isWords(unread))
    return null
  return { coverage, found, redacted, stopped, unread: UNREAD_PARTS.filter((part) => unread.includes(part)) }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const isCounts = (value: unknown): value is Record<string, number> =>
  isJsonObject(value) && Object.values(value).every(isCount)

const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string')
