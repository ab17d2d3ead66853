// The texts of one answer while they are searched: what is decided of each, what is taken out, and the counts for the settlement.
import { TOO_LONG, UNREAD_PARTS, type AnswerScan, type UnreadPart } from '../../evidence/records/answer-scan.ts'
import type { Steps } from '../../platform/computation-steps.ts'
import { actionFor, mayChangeAnswers, type AnswerRule } from '../../policies/rules/pii-scan.rule.ts'
import { createAnswerWindow, type AnswerWindow } from '../../scanning/answers/answer-window.ts'
import { SHAPES, type Shape } from '../../scanning/identifiers/shapes/index.ts'
import { findInJson, findInText, type FoundValue } from '../../scanning/redaction/find-redactable-values.ts'
import { createTextBuffer, type TextBuffer } from '../stream/text-buffer.ts'

/** More of an answer's text is not searched, in UTF-16 units. */
const MOST_SEARCHED = 1024 * 1024

/**
 * How a text is searched. `words`: as it arrives. `whole`: at its end, because a changed part of it would be worth nothing. `json`:
 * so as well, and stays JSON.
 */
export type AnswerTextForm = 'words' | 'whole' | 'json'

/** A part of a text to take out, and what is written in its place. */
type Cut = { readonly start: number; readonly end: number; readonly put: string }

/**
 * A text of the answer. `decided`: what is before may go out, with the cuts made. Infinity once the text has ended. `cuts`: in
 * order. `nextCut`: the first that is not written yet.
 */
export type AnswerText = {
  readonly form: AnswerTextForm
  length: number
  decided: number
  readonly cuts: Cut[]
  nextCut: number
}

type OpenText = AnswerText & { readonly window: AnswerWindow | null; readonly buffer: TextBuffer; noted: number }

/** @param rule what is done with each shape */
export class AnswerTexts {
  /** True if a value may have to be taken out or stop the answer: only then does text wait for its search. */
  readonly holds: boolean
  readonly #rule: AnswerRule
  readonly #open = new Map<string, OpenText>()
  readonly #found: Partial<Record<Shape, number>> = {}
  readonly #unread = new Set<UnreadPart>()
  #characters = 0
  #redacted = 0
  #stopped: readonly string[] = []
  #hasPassed = false

  constructor(rule: AnswerRule) {
    this.#rule = rule
    this.holds = mayChangeAnswers(rule)
  }

  /** Adds a piece to a text, which the first piece opens. */
  *add(name: string, form: AnswerTextForm, piece: string): Steps<AnswerText> {
    const text = this.#open.get(name) ?? this.#begin(form)
    this.#open.set(name, text)
    text.length += piece.length
    this.#characters += piece.length
    if (this.#characters > MOST_SEARCHED) this.#giveUp()
    else if (text.window === null) text.buffer.add(piece)
    else {
      yield* text.window.push(piece)
      this.#note(text)
    }
    return text
  }

  #begin(form: AnswerTextForm): OpenText {
    const window = form === 'words' && this.holds ? createAnswerWindow(this.#isWanted) : null
    return { form, window, buffer: createTextBuffer(), length: 0, decided: 0, cuts: [], nextCut: 0, noted: 0 }
  }

  /** Ends all texts whose names begin so: what is left of them is searched. */
  *end(prefix: string): Steps<void> {
    for (const [name, text] of this.#open) {
      if (!name.startsWith(prefix)) continue
      this.#open.delete(name)
      if (this.isStopped) return
      if (text.window === null) {
        const whole = text.buffer.text()
        const found = yield* text.form === 'json'
          ? findInJson(whole, this.#isWanted)
          : findInText(whole, this.#isWanted)
        this.#noteFound(text, found)
      } else {
        yield* text.window.end()
        this.#note(text)
      }
      if (!this.isStopped) text.decided = Infinity
    }
  }

  /** Searches a text that is whole. Returns it without what is taken out; null if the answer stops there. */
  *read(whole: string, isAddress = false): Steps<string | null> {
    this.#characters += whole.length
    if (this.#characters > MOST_SEARCHED) this.#giveUp()
    if (this.isStopped) return null
    if (this.#unread.has(TOO_LONG)) return whole
    const found = yield* findInText(whole, (shape) => !(isAddress && shape === 'date') && this.#isWanted(shape))
    const text = this.#begin('whole')
    this.#noteFound(text, found)
    return this.isStopped ? null : withoutCuts(text, whole, 0)
  }

  /** Notes a part that goes out unread. */
  leaveUnread(part: UnreadPart): void {
    this.#unread.add(part)
  }

  /** Notes that something of the answer goes out. */
  pass(): void {
    this.#hasPassed = true
  }

  get isStopped(): boolean {
    return this.#stopped.length > 0
  }

  get stopped(): readonly string[] {
    return this.#stopped
  }

  get redacted(): number {
    return this.#redacted
  }

  /** The bytes of texts in memory, at two a character. */
  bytes(): number {
    let bytes = 0
    for (const { window, buffer, length } of this.#open.values()) bytes += window === null ? buffer.bytes() : 2 * length
    return bytes
  }

  summary(): AnswerScan {
    const unread = UNREAD_PARTS.filter((part) => this.#unread.has(part))
    const found = Object.fromEntries(
      SHAPES.flatMap((shape) => (this.#found[shape] === undefined ? [] : [[shape, this.#found[shape]]])),
    )
    const coverage = !this.#hasPassed ? 'none' : unread.length > 0 ? 'partial' : 'full'
    return { coverage, found, redacted: this.#redacted, stopped: this.#stopped, unread: this.#hasPassed ? unread : [] }
  }

  readonly #isWanted = (shape: Shape): boolean => actionFor(this.#rule, shape) !== 'ignore'

  /** SECURITY: a rule that redacts or blocks lets no unread text pass. */
  #giveUp(): void {
    if (!this.holds) this.#unread.add(TOO_LONG)
    else if (!this.isStopped) this.#stopped = [TOO_LONG]
  }

  #note(text: OpenText): void {
    if (text.window === null || this.isStopped) return
    const { findings, decided } = text.window
    text.decided = decided
    this.#noteFound(text, findings.slice(text.noted))
    text.noted = findings.length
  }

  /** Counts findings, up to the first that stops the answer: nothing behind it is sent. */
  #noteFound(text: OpenText, findings: readonly FoundValue[]): void {
    for (const value of findings) {
      this.#found[value.shape] = (this.#found[value.shape] ?? 0) + 1
      const action = actionFor(this.#rule, value.shape)
      if (action === 'block') {
        this.#stopped = [value.shape]
        // Half of a whole text helps nobody.
        text.decided = text.form === 'words' ? value.start : 0
        return
      }
      if (action !== 'redact') continue
      this.#redacted += 1
      text.cuts.push(...cutsOf(value))
    }
  }
}

/** The markup between the parts of a value stays. */
function cutsOf({ shape, start, end, quoted, pieces = [{ start, end }] }: FoundValue): Cut[] {
  const placeholder = `[${shape.toUpperCase()}]`
  return pieces.map((piece, at) => ({ ...piece, put: at > 0 ? '' : quoted ? `"${placeholder}"` : placeholder }))
}

/** True if a cut touches the piece from `from` to `to`. Pieces come in order, each once. */
export function isTouched(text: AnswerText, from: number, to: number): boolean {
  while ((text.cuts[text.nextCut]?.end ?? Infinity) <= from) text.nextCut += 1
  return (text.cuts[text.nextCut]?.start ?? Infinity) < to
}

/** Returns a piece of a text that begins at `from`, with the cuts made. The placeholder is where a value begins. */
export function withoutCuts(
  { cuts, nextCut }: Pick<AnswerText, 'cuts' | 'nextCut'>,
  piece: string,
  from: number,
): string {
  const to = from + piece.length
  const written: string[] = []
  let at = from
  for (let next = nextCut; (cuts[next]?.start ?? Infinity) < to; next += 1) {
    const { start = 0, end = 0, put = '' } = cuts[next] ?? {}
    if (start >= from) written.push(piece.slice(at - from, start - from), put)
    at = Math.min(end, to)
  }
  return [...written, piece.slice(at - from)].join('')
}
