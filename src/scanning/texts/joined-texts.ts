// Joins texts that a model reads one after another, because an identifier may be split over two messages or parts. A long text
// contributes only its two ends, so that the work grows only with the size of the request.
import { readJson } from '../../platform/json.ts'
import type { Steps } from '../../platform/computation-steps.ts'
import type { RequestText } from './request-texts.ts'

/** `at`: where it begins in the joined text. `from`: where it begins in the text itself. */
type Segment = { readonly textIndex: number; readonly from: number; readonly at: number; readonly length: number }

/** `segments` are in order and name their texts by index in the list of texts. */
export type JoinedText = {
  readonly text: string
  /** True if a blank is between any two texts. */
  readonly isSpaced: boolean
  readonly segments: readonly Segment[]
}

/** A range of one text. `textIndex` is its index in the list of texts. */
export type Piece = { readonly textIndex: number; readonly start: number; readonly end: number }

type Separate = (before: string, after: string) => string

const [ENDS_IN_GROUP, BEGINS_WITH_GROUP] = [/(?:\d|(?<![A-Za-z])[A-Z]{1,4})$/, /^(?:\d|[A-Z]{1,4}(?![A-Za-z]))/]

/**
 * People split a value with nothing, or with a blank. The third way joins without a blank only between digits or short groups of
 * capitals. It puts a blank between all other words.
 */
const SEPARATORS: readonly Separate[] = [
  () => '',
  () => ' ',
  (before, after) => (ENDS_IN_GROUP.test(before) && BEGINS_WITH_GROUP.test(after) ? '' : ' '),
]
/** How many characters on each side a separator reads. */
const SEPARATOR_CONTEXT = 6

/** How many characters beside the word at an end are taken: more than a label and its value have. */
const EDGE_CHARACTERS = 96
/** The longest word at an end that is taken whole: tokens are long. */
const LONGEST_WORD = 4_096
/** Replaces the middle of a long text, and separates unrelated texts. No value and no label matches across it. */
const GAP = '\n{;}\n'

/** Calls `each` for each way to join the texts, one at a time: together they may be several times as long as the request. */
export function* joinTextsInSteps(
  texts: readonly RequestText[],
  each: (joined: JoinedText) => Steps<void>,
): Steps<void> {
  const edges: Edges[] = []
  for (const text of texts) {
    edges.push(edgesOf(text))
    if (isMessageText(text)) yield text.text.length / 16
  }
  for (const chain of chainsOf(texts, edges)) {
    const seen = new Set<string>()
    for (const [at, separate] of SEPARATORS.entries()) {
      const joined = yield* joinChain({ texts, edges }, chain, { separate, isSpaced: at === 1 })
      // If all or none of the texts begin with digits, the last way equals one of the others.
      if (at === 2 && seen.has(joined.text)) continue
      seen.add(joined.text)
      yield* each(joined)
    }
  }
}

/** Facts about a text that several joins need. */
type Edges = {
  /** True if nothing continues directly after it: a call, or JSON. */
  readonly endsChain: boolean
  /** Offsets at which the last private key begins and the last ends; -1 if none does. */
  readonly keyBegins: number
  readonly keyEnds: number
}

function edgesOf(text: RequestText): Edges {
  const { place, form } = text
  if (!isMessageText(text)) return { endsChain: place === 'call_name', keyBegins: -1, keyEnds: -1 }
  return {
    endsChain: form === 'json' && readJson(text.text) !== undefined,
    keyBegins: text.text.lastIndexOf(KEY_BEGINNING),
    keyEnds: text.text.lastIndexOf(KEY_END),
  }
}

const isMessageText = ({ place }: RequestText): boolean => place === 'message_text'

/**
 * Returns the texts in order, by index. If instructions are between other messages, also returns both kinds separately, because
 * most providers receive instructions apart.
 */
function chainsOf(texts: readonly RequestText[], edges: readonly Edges[]): number[][] {
  const candidates = texts.flatMap((text, at) => (isMessageText(text) || edges[at]?.endsChain === true ? [at] : []))
  const isInstruction = (at: number): boolean => texts[at]?.role === 'system' || texts[at]?.role === 'developer'
  const firstOther = candidates.findIndex((at) => !isInstruction(at))
  const areApart = candidates.findLastIndex(isInstruction) < firstOther || firstOther === -1
  const orders = areApart
    ? [candidates]
    : [candidates, candidates.filter(isInstruction), candidates.filter((at) => !isInstruction(at))]
  return orders.flatMap((order) => splitChains(order)).filter((chain) => chain.length > 1)

  function splitChains(order: readonly number[]): number[][] {
    const chains: number[][] = [[]]
    for (const at of order) {
      if (edges[at]?.endsChain === true) chains.push([])
      else if (texts[at]?.text !== '') chains.at(-1)?.push(at)
    }
    return chains
  }
}

/** Joins unrelated texts, so that no value crosses from one into another. */
export function joinUnrelated(texts: readonly RequestText[], apart: readonly number[]): JoinedText {
  const segments: Segment[] = []
  let joined = ''
  for (const textIndex of apart) {
    const { text = '' } = texts[textIndex] ?? {}
    joined += GAP
    segments.push({ textIndex, from: 0, at: joined.length, length: text.length })
    joined += text
  }
  return { text: joined, isSpaced: false, segments }
}

const TEXTS_PER_STEP = 256

function* joinChain(
  { texts, edges }: { texts: readonly RequestText[]; edges: readonly Edges[] },
  chain: readonly number[],
  { separate, isSpaced }: { separate: Separate; isSpaced: boolean },
): Steps<JoinedText> {
  const segments: Segment[] = []
  let joined = ''
  let before = ''
  /** A private key that begins in one text may end in another. */
  let isKeyOpen = false
  const add = (textIndex: number, from: number, to: number): void => {
    const { text = '' } = texts[textIndex] ?? {}
    segments.push({ textIndex, from, at: joined.length, length: to - from })
    joined += text.slice(from, to)
  }
  for (const [place, textIndex] of chain.entries()) {
    const { text = '' } = texts[textIndex] ?? {}
    const { keyBegins = -1, keyEnds = -1 } = edges[textIndex] ?? {}
    if (place > 0) joined += separate(before.slice(-SEPARATOR_CONTEXT), text.slice(0, SEPARATOR_CONTEXT))
    before = text
    const head = place === 0 ? 0 : isKeyOpen ? endOfKey(text) : endOfHead(text)
    isKeyOpen = keyBegins > keyEnds || (isKeyOpen && keyEnds === -1)
    const isLast = place === chain.length - 1
    const tail = isLast ? text.length : isKeyOpen ? Math.max(keyBegins, 0) : startOfTail(text)
    if (head >= tail) add(textIndex, 0, text.length)
    else {
      if (head > 0) add(textIndex, 0, head)
      joined += GAP
      if (tail < text.length) add(textIndex, tail, text.length)
    }
    if (place % TEXTS_PER_STEP === TEXTS_PER_STEP - 1) yield TEXTS_PER_STEP * 16
  }
  return { text: joined, isSpaced, segments }
}

const KEY_BEGINNING = '-----BEGIN '
const KEY_END = '-----END '
/** Longer than the rest of the line that ends a key. */
const KEY_END_LINE = 64

function endOfKey(text: string): number {
  const end = text.indexOf(KEY_END)
  return end === -1 ? text.length : Math.min(text.length, end + KEY_END_LINE)
}

const BLANK = /\s/

function endOfHead(text: string): number {
  let end = 0
  while (end < LONGEST_WORD && end < text.length && !BLANK.test(text.charAt(end))) end += 1
  return Math.min(text.length, end + EDGE_CHARACTERS)
}

function startOfTail(text: string): number {
  let start = text.length
  while (text.length - start < LONGEST_WORD && start > 0 && !BLANK.test(text.charAt(start - 1))) start -= 1
  return Math.max(0, start - EDGE_CHARACTERS)
}

/** Returns the part of each text in a range of the joined text. Separators belong to no text. */
export function piecesOf({ segments }: JoinedText, start: number, end: number): Piece[] {
  const pieces: Piece[] = []
  for (let at = firstSegmentBehind(segments, start); at < segments.length; at += 1) {
    const segment = segments[at]
    if (segment === undefined || segment.at >= end) break
    const from = Math.max(start, segment.at) - segment.at + segment.from
    const to = Math.min(end, segment.at + segment.length) - segment.at + segment.from
    if (from < to) pieces.push({ textIndex: segment.textIndex, start: from, end: to })
  }
  return pieces
}

/** Returns the index of the text before the one at `place`; null if that is the first. */
export function textBefore({ segments }: JoinedText, place: number): number | null {
  const at = firstSegmentBehind(segments, place)
  const textIndex = segments[at]?.textIndex
  // A long text has two segments.
  return [segments[at - 1], segments[at - 2]].find((segment) => segment?.textIndex !== textIndex)?.textIndex ?? null
}

/** Returns the index of the first segment that ends after `place`. */
function firstSegmentBehind(segments: readonly Segment[], place: number): number {
  let [low, high] = [0, segments.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const { at = 0, length = 0 } = segments[middle] ?? {}
    if (at + length <= place) low = middle + 1
    else high = middle
  }
  return low
}
