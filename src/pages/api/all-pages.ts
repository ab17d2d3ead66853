// A list with all of its pages, where a page of it alone would say something wrong.
import type { Answer } from './call.ts'

type Page<T> = { data: T[]; next_cursor: string | null }

/** The first page with the rows of the others. What has more pages than `most` is cut there: its `next_cursor` is not null then. */
export async function allPages<T, P extends Page<T>>(
  ask: (cursor: string | null) => Promise<Answer<P>>,
  most = 10,
): Promise<Answer<P>> {
  const first = await ask(null)
  if (first.outcome === 'refused') return first
  const body = { ...first.body, data: [...first.body.data] }
  for (let pages = 1; pages < most && body.next_cursor !== null; pages++) {
    // oxlint-disable-next-line no-await-in-loop -- each page says where the next one begins
    const next = await ask(body.next_cursor)
    if (next.outcome === 'refused') return next
    body.data.push(...next.body.data)
    body.next_cursor = next.body.next_cursor
  }
  return { ...first, body }
}
