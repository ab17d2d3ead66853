// Splits long computation, such as scans, into steps, so that other requests run between them. A generator yields the amount of
// work since its last yield. A clock cannot decide when to pause: in production it does not advance while a program computes.

/** Yields the number of characters processed, or an equal cost. */
export type Steps<T> = Generator<number, T, void>

/** The number of small items in one step, and the cost of one in characters. */
const MANY = 1_024
const COST = 4

/** Calls `each` for all items in turn, many in one step. */
export function* forEachInSteps<T>(items: readonly T[], each: (item: T) => void): Steps<void> {
  for (let from = 0; from < items.length; from += MANY) {
    for (const item of items.slice(from, from + MANY)) each(item)
    yield COST * Math.min(MANY, items.length - from)
  }
}

/** The work between two pauses: about 1 ms for a text of nothing but digits. The last step may add as much again. */
export const SLICE_CHARACTERS = 4_096

/** The number of characters that one step searches from match to match. */
const STEP = 8_192

/** Calls `each` for all matches of a global pattern in turn. */
export function* forEachMatchInSteps(
  text: string,
  pattern: RegExp,
  each: (match: RegExpExecArray) => void,
): Steps<void> {
  let stepTo = STEP
  for (const match of text.matchAll(pattern)) {
    if (match.index >= stepTo) {
      yield STEP
      stepTo = match.index + STEP
    }
    each(match)
  }
}

/** The number of characters that are searched for a pattern at a time. */
const STRETCH = 8_192

/**
 * Returns true if `holds` accepts a match of a global pattern. The pattern may look at one character before the match.
 * @param reach at least the length of a match and of what the pattern looks at behind it
 * @param holds gets the match, and as `first` the place in the text where the searched part begins
 */
export function* someMatchInSteps(
  text: string,
  pattern: RegExp,
  reach: number,
  holds: (match: RegExpExecArray, first: number) => boolean = () => true,
): Steps<boolean> {
  for (let from = 0; from < text.length; from += STRETCH) {
    const first = Math.max(0, from - 1)
    const stretch = text.slice(first, from + STRETCH + reach)
    pattern.lastIndex = from - first
    let match = pattern.exec(stretch)
    while (match !== null && first + match.index < from + STRETCH) {
      if (holds(match, first)) return true
      match = pattern.exec(stretch)
    }
    yield Math.min(STRETCH, text.length - from) / 4
  }
  return false
}

/**
 * Calls `each` for the matches of a global pattern in turn. The pattern may look at one character before the match.
 * @param reach at least the length of a match and of what the pattern looks at behind it
 * @param each gets the match and its place in the text. It may return where the search goes on; else that is the match's end.
 */
export function* searchInSteps(
  text: string,
  pattern: RegExp,
  reach: number,
  each: (match: RegExpExecArray, index: number) => number | undefined,
): Steps<void> {
  let at = 0
  for (let from = 0; from < text.length; from += STRETCH) {
    const to = from + STRETCH
    const first = Math.max(0, from - 1)
    const stretch = text.slice(first, to + reach)
    let matches = 0
    for (at = Math.max(at, from); at < to; matches += 1) {
      pattern.lastIndex = at - first
      const match = pattern.exec(stretch)
      const index = first + (match?.index ?? to)
      if (match === null || index >= to) break
      at = each(match, index) ?? index + match[0].length
    }
    yield Math.min(STRETCH, text.length - from) / 16 + COST * matches
  }
}

export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Runs one slice of work at once. Only if there is more is the rest awaited, in slices. */
export function runBriefly<T>(steps: Steps<T>, pause: () => Promise<void>): T | Promise<T> {
  for (let done = 0; done < SLICE_CHARACTERS;) {
    const step = steps.next()
    if (step.done === true) return step.value
    done += step.value
  }
  return pause().then(() => runInSlices(steps, pause))
}

/** Runs all steps, and awaits `pause` after each `slice` of work. */
export async function runInSlices<T>(
  steps: Steps<T>,
  pause: () => Promise<void>,
  slice = SLICE_CHARACTERS,
): Promise<T> {
  let done = 0
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    done += step.value
    if (done < slice) continue
    done = 0
    await pause()
  }
}
