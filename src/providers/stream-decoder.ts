// What every stream decoder has in common: it reads whole JSON events, ends exactly once, and is silent afterwards.
import { z } from 'zod'
import type { StreamDecoder } from './adapter.ts'
import type { StreamEvent } from './answer.ts'
import { upstreamFailure, type Cause } from './failure.ts'
import { parseJson } from './json.ts'

/** What an event, or the end of the bytes, means: our events, or why the stream has failed. */
export type Reading = StreamEvent[] | Cause

export function createStreamDecoder(dialect: {
  /** @param json the event's data, parsed; undefined where it is no JSON */
  read(json: unknown, data: string): Reading
  /** The bytes have ended, and neither an `end` nor a failure came before. */
  close(): Reading
}): StreamDecoder {
  let over = false
  const settle = (reading: Reading): StreamEvent[] => {
    const events: StreamEvent[] =
      typeof reading === 'string' ? [{ type: 'failed', failure: upstreamFailure(reading) }] : reading
    over = ['end', 'failed'].includes(events.at(-1)?.type ?? '')
    return events
  }
  return {
    push({ event, data, closed }) {
      if (over || data === null) return []
      if (event === 'error') return settle('error_event')
      const reading = dialect.read(parseJson(data), data)
      return settle(reading === 'malformed' && !closed ? 'cut' : reading)
    },
    close: () => (over ? [] : settle(dialect.close())),
  }
}

const typedSchema = z.object({ type: z.string() })

/** Whether it is an event of a type not listed in `events`: providers add types, and ask to have them passed over. */
export function isUnlistedEvent(
  json: unknown,
  events: { readonly options: readonly { readonly shape: { readonly type: z.ZodType } }[] },
): boolean {
  const typed = typedSchema.safeParse(json)
  return typed.success && events.options.every(({ shape }) => !shape.type.safeParse(typed.data.type).success)
}
