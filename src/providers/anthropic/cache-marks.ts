// Marks up to which Anthropic keeps a prompt. Source: its page on prompt caching.
import { unsupported, type Unsupported } from '../failure.ts'
import { markedPlaces, type CacheMark, type ChatRequest } from '../request.ts'

const MOST_MARKS = 4

/** The first mark that Anthropic would refuse. */
export function findCacheMarkFault(request: ChatRequest): Unsupported | null {
  const places = markedPlaces(request)
  const extra = places[MOST_MARKS]
  if (extra !== undefined) {
    return unsupported(extra.path, `This model takes ${MOST_MARKS} marks at most. Leave out those that matter least.`)
  }
  const minutes = places.findIndex(({ mark }) => mark.ttl === '5m')
  const late = places.find(({ mark }, at) => mark.ttl === '1h' && minutes >= 0 && at > minutes)
  return late === undefined
    ? null
    : unsupported(late.path, 'What is kept for 1h must come before what is kept for 5m: tools, instructions, messages.')
}

/** Five minutes are meant where nothing is said. */
export function cacheControl(mark: CacheMark | undefined) {
  if (mark === undefined) return undefined
  return mark.ttl === '5m' ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: mark.ttl }
}
