// Work that can be interrupted: a generator yields how much it has done since it last yielded, and whoever runs it decides
// when others get the processor. A clock cannot decide that: in production it stands still while a program computes.

/** Yields characters gone through, or what costs about as much. */
export type Steps<T> = Generator<number, T, void>

/** Small things that are gone through in a step, and what one of them costs in characters. */
const MANY = 1_024
const COST = 4

/** `each` of all of them in turn, many a step. */
export function* forEachInSteps<T>(items: readonly T[], each: (item: T) => void): Steps<void> {
  for (let from = 0; from < items.length; from += MANY) {
    for (const item of items.slice(from, from + MANY)) each(item)
    yield COST * Math.min(MANY, items.length - from)
  }
}

/** Characters of dense figures that take about 1 ms. A step may add as much again before it yields. */
export const SLICE = 4_096

/** Characters of a text that are gone through from match to match in a step. */
const STEP = 8_192

/** `each` of all matches of a global pattern in turn. */
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

/** Characters of a text that a pattern is looked for in at a time. */
const STRETCH = 8_192

/**
 * Tells if `holds` is true of some match of a global pattern, which may look at one character before the match.
 * `first`: where the stretch that the match was found in begins in the text.
 * @param reach at least what a match has, with what the pattern looks at behind it
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
    yield STRETCH / 4
  }
  return false
}

/** Runs all steps without a pause. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Awaits `pause` whenever `slice` of work has been done and more is left. */
export async function runInSlices<T>(steps: Steps<T>, pause: () => Promise<void>, slice = SLICE): Promise<T> {
  let done = 0
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    done += step.value
    if (done < slice) continue
    done = 0
    await pause()
  }
}
