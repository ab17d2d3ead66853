// Why the service does not count what is asked of it, told to people: what is too much, and what to take instead.
import type { AskedFor } from './asked.ts'

type Refused = { code: string; fields: readonly { path: string; rule: string }[] }

export type NotCounted = {
  words: string
  /** Whether adding up by month makes it few enough. */
  isLessByMonth: boolean
}

/** Null where it is refused for another reason, or failed. */
export function whyNotCounted({ code, fields }: Refused, { bucket, group }: AskedFor): NotCounted | null {
  const [field] = fields
  if (code !== 'invalid_request' || field === undefined || !['start', 'end'].includes(field.path)) return null
  const isByDay = bucket === 'day'
  switch (field.rule) {
    case 'no later than end':
      return { words: 'The first day is after the last one. Change one of them.', isLessByMonth: false }
    case 'at most 400 days':
      return { words: 'At most 400 days can be counted at once. Take fewer.', isLessByMonth: false }
    case 'fewer days':
      return { words: 'These are more rows than can be made at once. Take fewer days.', isLessByMonth: isByDay }
    case 'at most 92 days':
      return isByDay && group === 'key'
        ? { words: 'Key by key and day by day, at most 92 days can be counted. Take fewer days.', isLessByMonth: true }
        : {
            words:
              'By more than one of model, key, use case and ending, at most 92 days can be counted. Take fewer days.',
            isLessByMonth: false,
          }
    default:
      return { words: 'These days cannot be read. Choose them again.', isLessByMonth: false }
  }
}
