// What the service says is for programs too, and names the routes that one would ask: people have a page for it instead.

const ROUTE = String.raw`(?:GET|POST|PUT|PATCH|DELETE) /`
const IN_BRACKETS = new RegExp(String.raw` \(${ROUTE}[^)]*\)`, 'g')
const AT_THE_END = new RegExp(String.raw`[:;] ${ROUTE}.*$`)
const ANYWHERE = new RegExp(ROUTE)

/** The message with what it says of routes left out; the whole of it where nothing else would be left. */
export function withoutRoutes(message: string): string {
  const sentences = message
    .replaceAll(IN_BRACKETS, '')
    .split(/(?<=\.) (?=\p{Lu})/u)
    .map((sentence) => sentence.replace(AT_THE_END, '.'))
    .filter((sentence) => !ANYWHERE.test(sentence))
  return sentences.length === 0 ? message : sentences.join(' ')
}
