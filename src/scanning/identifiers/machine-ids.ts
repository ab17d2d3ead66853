// Names that programs give: UUIDs, and digests in hexadecimal. Parts of them look like numbers that people are known by.
import type { Found } from './identifier-shapes.ts'

const MACHINE_ID =
  /(?<![a-z0-9])(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|(?=\d*[a-f])(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32}))(?![a-z0-9])/gi

const LONGEST = 64

/** `found`, in order of start, without what lies wholly in such a name. Only the text near them is searched. */
export function outsideMachineIds(text: string, found: readonly Found[]): Found[] {
  const [first] = found
  const last = found.at(-1)
  if (first === undefined || last === undefined) return []
  // One character more on either side says whether a name begins or ends there.
  const from = Math.max(0, first.start - LONGEST - 1)
  const names = text.slice(from, last.end + LONGEST + 1).matchAll(MACHINE_ID)
  let name = names.next()
  return found.filter(({ start, end }) => {
    while (name.done !== true && from + endOf(name.value) < end) name = names.next()
    return name.done === true || start < from + name.value.index
  })
}

const endOf = ({ 0: name, index }: RegExpExecArray): number => index + name.length
