// Text functions of the pages: joins words, replaces underscores, and removes sentences that are meant for programs.

/** Joins words: “A, B and C”. */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}

/** Turns an API name into words: “not_available” into “not available”. */
export const withSpaces = (name: string): string => name.replaceAll('_', ' ')

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const ROUTE = String.raw`(?:GET|POST|PUT|PATCH|DELETE) /`
const IN_BRACKETS = new RegExp(String.raw` \(${ROUTE}[^)]*\)`, 'g')
const AT_THE_END = new RegExp(String.raw`[:;] ${ROUTE}.*$`)
const ANYWHERE = new RegExp(ROUTE)

/** Removes sentences about routes, which are for programs. Returns the whole message if nothing else would remain. */
export function withoutRoutes(message: string): string {
  const sentences = message
    .replaceAll(IN_BRACKETS, '')
    .split(/(?<=\.) (?=\p{Lu})/u)
    .map((sentence) => sentence.replace(AT_THE_END, '.'))
    .filter((sentence) => !ANYWHERE.test(sentence))
  return sentences.length === 0 ? message : sentences.join(' ')
}
