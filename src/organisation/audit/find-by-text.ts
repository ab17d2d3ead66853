// Finds the calls that a text stands for: an id, a log position, or a part of a name. Resolves the text once, lists the ranges of the
// log that may have such calls, and confirms each call against its entry.
import { contentOf } from '../../evidence/entry.ts'
import type { EntriesRange } from '../journal/archive.ts'
import { isHeld, readCall, type LoggedCall } from '../journal/call-pages.ts'
import type { ObjectParts } from '../object-parts.ts'
import { RULE_WORDS } from '../../policies/rules/words.ts'
import { CallIndexStore } from '../usage/call-index.store.ts'
import {
  fingerprintOf,
  HASH_DIGITS,
  readSearchable,
  SearchBlocksStore,
  type SearchBlock,
} from '../usage/search-blocks.store.ts'

/** `part`: the text in lower case, its words apart. `keyIds`: of keys with such a name. `positions`: of calls that match by other entries. */
export type SoughtText = {
  part: string
  ids: readonly string[]
  keyIds: ReadonlySet<string>
  positions: ReadonlySet<number>
}

/** A null member matches any value. */
type NamesFilter = { model: string | null; useCase: string | null; keyId: string | null }

/** Resolves a text. Rejects if R2 fails; then retry. */
export async function resolveText(
  { sql, stores, archive }: Pick<ObjectParts, 'sql' | 'stores' | 'archive'>,
  text: string,
  within: EntriesRange,
  now: number,
): Promise<SoughtText> {
  const part = spaced(text)
  const positions = new Set(new CallIndexStore(sql).listFailedOf(within, text.toLowerCase()))
  const ids = [text]
  const position = readPosition(text)
  if (position !== null) {
    positions.add(position)
    const { entries } = await archive.readPositions([position], now)
    for (const entry of entries) {
      const { settles } = entry.kind === 'settlement' ? contentOf(entry.entry) : {}
      if (typeof settles === 'number') positions.add(settles)
      // A request that waited for a person is listed as its run.
      for (const call of readCall(entry)) if (isHeld(call) && call.facts.approval_id) ids.push(call.facts.approval_id)
    }
  }
  return { part, ids, keyIds: new Set(stores.keys.listIdsNamed(text.toLowerCase())), positions }
}

const spaced = (text: string): string => text.toLowerCase().replaceAll('_', ' ')

/** The words of pages for reasons, in lower case. */
const REASONS: ReadonlyMap<string, string> = new Map(
  RULE_WORDS.flatMap(({ reasons = {} }) => Object.entries(reasons)).map(([id, words]) => [id, words.toLowerCase()]),
)

/** Returns true for a part of a name, or of the words that pages show for it: `pps_number` is “PPS number” there. */
const isPartOf = (part: string, name: string): boolean =>
  spaced(name).includes(part) || REASONS.get(name)?.includes(part) === true

/** As pages write it: with a separator before each three digits, or without. */
const POSITION = /^\d{1,15}$|^\d{1,3}(?:[,.\u2019\u00a0\u202f ]\d{3}){1,4}$/

const readPosition = (text: string): number | null => (POSITION.test(text) ? Number(text.replaceAll(/\D/g, '')) : null)

/** Lists the ranges of positions that may have calls that match, the latest first. */
export function listRangesOf(
  sql: SqlStorage,
  within: EntriesRange,
  { model, useCase, keyId }: NamesFilter,
  sought: SoughtText | null,
): Promise<EntriesRange[]> | EntriesRange[] {
  const names = [model, useCase].filter((name) => name !== null)
  if (sought === null && names.length === 0 && keyId === null) return [within]
  const mayHaveText = sought === null ? () => true : textFinder(sought)
  return new SearchBlocksStore(sql).listRanges(
    within,
    (block) =>
      names.every((name) => block.names.includes(name)) &&
      (keyId === null || block.keyIds.includes(keyId)) &&
      mayHaveText(block),
  )
}

function textFinder({ part, ids, keyIds, positions }: SoughtText): (block: SearchBlock) => boolean {
  const fingerprints = [...ids, part.slice(0, HASH_DIGITS)].map(fingerprintOf)
  const listed = [...positions]
  return (block) =>
    fingerprints.some((one) => block.ids.includes(one)) ||
    block.names.some((name) => isPartOf(part, name)) ||
    block.keyIds.some((id) => keyIds.has(id)) ||
    listed.some((position) => block.from <= position && position < block.before)
}

export function isSought({ decision, record, facts }: LoggedCall, sought: SoughtText): boolean {
  const { part, ids, keyIds, positions } = sought
  const searchable = readSearchable(decision, record, facts)
  const hash = record['request_hash']
  return (
    positions.has(decision.position) ||
    keyIds.has(searchable.keyId) ||
    searchable.ids.some((id) => ids.includes(id)) ||
    (part.length >= HASH_DIGITS && typeof hash === 'string' && hash.startsWith(part)) ||
    searchable.names.some((name) => isPartOf(part, name))
  )
}
