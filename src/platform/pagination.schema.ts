// Schemas of paged lists: the query with a limit and a cursor, and the response. Makes a page of rows. The cursor is the last id of
// the page before.
import * as z from 'zod'
import { once } from './once.ts'

export const listSchema = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    object: z.literal('list'),
    data: z.array(item),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })

export type List<T> = { object: 'list'; data: T[]; has_more: boolean; next_cursor: string | null }

/** Returns a page. `rows` has up to one more than `limit`, which shows if there is a next page. */
export function pageOf<T extends { id: string }>(rows: T[], limit: number): List<T> {
  const data = rows.slice(0, limit)
  const hasMore = rows.length > limit
  return { object: 'list', data, has_more: hasMore, next_cursor: hasMore ? (data.at(-1)?.id ?? null) : null }
}

export const PageQuerySchema = once(() =>
  z.strictObject({
    limit: z.coerce.number().int().min(1).max(100).default(50),
    cursor: z.string().min(1).max(100).optional(),
  }),
)
