// Replaces and removes top-level members of a JSON object and keeps every other byte. Written anew, numbers, escapes and the order
// of members could change: a provider would then not find the prompt in its cache.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]/gs
const MEMBER = /^\s*("[^"\\]*(?:\\.[^"\\]*)*")\s*:\s*/s

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/**
 * @param json an object that JSON.parse takes, with no member named twice
 * @param changes name → new value; undefined removes the member. Names that the object does not have are ignored.
 */
export function spliceMembers(json: Uint8Array, changes: Readonly<Record<string, unknown>>): Uint8Array {
  const text = decoder.decode(json)
  const [open = 0, ...ends] = delimitersOf(text)
  const kept = ends.flatMap((end, at) => {
    const member = text.slice((ends[at - 1] ?? open) + 1, end)
    const [head = '', written = '""'] = MEMBER.exec(member) ?? []
    const name = String(JSON.parse(written))
    if (!Object.hasOwn(changes, name)) return [member]
    const value = changes[name]
    return value === undefined ? [] : [head + JSON.stringify(value) + member.slice(member.trimEnd().length)]
  })
  return encoder.encode(text.slice(0, open + 1) + kept.join(',') + text.slice(ends.at(-1)))
}

/** Returns where the object opens, each comma between its members, and where it closes. */
function delimitersOf(text: string): number[] {
  const places: number[] = []
  let depth = 0
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const isClosing = token === '}' || token === ']'
    if (isClosing) depth -= 1
    if ((depth === 0 && !token.startsWith('"')) || (depth === 1 && token === ',')) places.push(index)
    if (token === '{' || token === '[') depth += 1
  }
  return places
}
