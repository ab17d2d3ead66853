// Names that programs give: UUIDs, and digests in hexadecimal. Parts of them look like numbers that people are known by.
import type { Found } from './identifier-shapes.ts'

const MACHINE_ID =
  /(?<![a-z0-9])(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|(?=\d*[a-f])(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32}))(?![a-z0-9])/gi

/** `found` in order of start, without what lies wholly in such a name. */
export function outsideMachineIds(text: string, found: readonly Found[]): Found[] {
  if (found.length === 0) return []
  const names = text.matchAll(MACHINE_ID)
  let name = names.next()
  return found.filter(({ start, end }) => {
    while (name.done !== true && endOf(name.value) < end) name = names.next()
    return name.done === true || start < name.value.index
  })
}

const endOf = ({ 0: name, index }: RegExpExecArray): number => index + name.length
