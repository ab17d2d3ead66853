// The finding that a finder of one shape returns, with offsets in the searched copy of the text, and helpers for finders.

/** How sure a finder is of the shape. Of overlapping findings the surest is reported, then the longest. */
export const CERTAINTY = { token: 0, labelled: 1, distinctive: 2, shaped: 3, digitsOnly: 4 } as const

/** `start` and `end` are offsets into the text as sent. `end` is exclusive. */
export type ReportedFinding<S extends string> = { shape: S; start: number; end: number }

export type Finding<S extends string> = ReportedFinding<S> & {
  certainty: (typeof CERTAINTY)[keyof typeof CERTAINTY]
}

export type Finder<S extends string> = {
  /** @param dates the dates that were found before */
  readonly find: (text: string, dates: readonly Finding<'date'>[]) => Finding<S>[]
  /**
   * The source of a pattern. A long text is searched only near its matches, so every value of the shape must contain one. A shape
   * whose values can be letters alone needs another anchor than DIGITS, or long prompts pass with such a value.
   */
  readonly anchor: string
  /** The fewest letters in a row that a value with its label has. */
  readonly letters: 0 | 1 | 2
  /** True if the finder also searches copies in which letters or words are read as digits. */
  readonly inAlteredCopies: boolean
}

/**
 * `name` is for use within a sentence. `rank` decides between overlapping identifiers of equal certainty and length: the lower rank,
 * which has more structure, gives the name. Accounts and tokens need none: they come first.
 */
type ShapeWords = { id: string; group: 'person' | 'contact' | 'money'; name: string; rank?: number }

/** Defines a shape. Each finder finds some of its values. */
export const defineShape = <const Words extends ShapeWords, S extends string>(
  words: Words & { readonly id: NoInfer<S> },
  ...finders: readonly Finder<S>[]
): Words & { readonly finders: readonly Finder<S>[] } => ({ ...words, finders })

/** For most shapes: every value has a digit in its folded copy, except numbers that are spelled in words. */
export const DIGITS = { anchor: '\\d+', inAlteredCopies: true } as const
/** For postcodes: letters may be typed for all digits of a labelled one. */
export const POSTCODES = { anchor: `${DIGITS.anchor}|code|\\bzip\\b`, inAlteredCopies: false } as const

/**
 * Calls `accept` for each match of `pattern`, which must be global. `accept` returns where the finding ends. If it returns
 * undefined, the search continues after the match's first word or number.
 */
export function scan(pattern: RegExp, text: string, accept: (match: RegExpExecArray) => number | undefined): void {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    pattern.lastIndex = accept(match) ?? match.index + firstWordLength(match[0])
  }
}

/** Returns at least 1. */
function firstWordLength(written: string): number {
  let length = 0
  while (isLetterOrDigit(written.charCodeAt(length))) length += 1
  return Math.max(1, length)
}

/** Returns false at the end of a text, where the code is NaN. */
function isLetterOrDigit(code: number): boolean {
  const lower = code | 0x20
  return isDigit(code) || (lower >= 0x61 && lower <= 0x7a)
}

/** @param code the code of a UTF-16 unit */
export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** Pattern source for a run of one mark, of any length, as on a form. A dot before a line end ends a sentence. */
export const LEADER =
  '(?:[._-] ){3,40}|(?<!\\.)\\.{1,80}(?![.\\n])|(?<!_)_{1,80}(?!_)|(?<!-)-{1,80}(?!-)|(?<![=*~:>|#])[=*~:>|#]{3,80}(?![=*~:>|#])'

/**
 * Pattern source for one mark between a label and its value. A plus right before figures is a part of a telephone number, `&#58;` is
 * one character, and `{;` is between texts that do not belong together (joined-texts.ts).
 */
export const LABEL_MARK = '[ \\n:;#=,*>|(\\["\'`~}/\\\\^@!?]|&(?!#)|\\{(?!;)|\\+(?= )|<(?=[a-z0-9 ./-]{4,24}>)'

/** Pattern source for what may be between a label and its value. It begins right after the label's last letter. */
export const LABEL_GAP =
  `(?:(?:${LEADER}|${LABEL_MARK}){0,6}(?:numbers?|nos?|num|nr|id|identifier|is|was|of|ref|are|value)(?![a-z])){0,2}` +
  `(?:${LEADER}|${LABEL_MARK}|[)\\]]){0,6}`

/** Pattern source for a break inside a number: nothing, a blank, a line end, a dash or a dot (not a dot and a blank). */
export const BREAK = '(?: ?[-_/] ?|[-_/]{2}|[-/]\\n|\\n[-/]|[. \\n])?'

/** Pattern source for the mark between the characters of a spaced-out number: "1 2 3", "1-2-3", "1 / 2 / 3". */
export const APART = '(?: ?[-_/,.:;|] ?|[ \\n])'
