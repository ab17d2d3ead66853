// Small things about text: lists, blanks, and what the service says for programs alone.

/** “A, B and C”. */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}

/** A name of the API as words: “not_available” as “not available”. */
export const spaced = (name: string): string => name.replaceAll('_', ' ')

const ROUTE = String.raw`(?:GET|POST|PUT|PATCH|DELETE) /`
const IN_BRACKETS = new RegExp(String.raw` \(${ROUTE}[^)]*\)`, 'g')
const AT_THE_END = new RegExp(String.raw`[:;] ${ROUTE}.*$`)
const ANYWHERE = new RegExp(ROUTE)

/** The message without what it says of routes, which are for programs. All of it if nothing else would be left. */
export function withoutRoutes(message: string): string {
  const sentences = message
    .replaceAll(IN_BRACKETS, '')
    .split(/(?<=\.) (?=\p{Lu})/u)
    .map((sentence) => sentence.replace(AT_THE_END, '.'))
    .filter((sentence) => !ANYWHERE.test(sentence))
  return sentences.length === 0 ? message : sentences.join(' ')
}
