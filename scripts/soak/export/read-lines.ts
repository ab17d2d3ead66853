// Reads an export line by line, as it comes: how much of it there is, and whether it is in order.

export type Format = 'json' | 'csv'

export type Counted = { audit: number; receipts: number; isComplete: boolean }

/** What a line begins with that tells of an entry (then its position) or of a record, and the line that ends it well. */
const LINES = {
  json: {
    entry: /^\{"id":(\d+),"object":"entry"/,
    record: /^\{"id":"[0-9a-f-]{36}","object":"receipt"/,
    end: '"unreadable_entries":0,"complete":true}',
  },
  csv: {
    entry: /^audit,(\d+),object,entry$/,
    record: /^receipts,[0-9a-f-]{36},object,receipt$/,
    end: /^export,[^,]+,complete,true$/,
  },
} as const

/**
 * Throws where an entry is missing, or there twice.
 * @param looking.look what is done after so many entries each time, while the rest waits
 */
export async function readLines(
  lines: AsyncIterable<string>,
  format: Format,
  { every, look }: { every: number; look: (() => Promise<void>) | undefined },
): Promise<Counted> {
  const { entry, record, end } = LINES[format]
  const counted = { audit: 0, receipts: 0, isComplete: false }
  for await (const line of lines) {
    const position = entry.exec(line)?.[1]
    if (position !== undefined) {
      if (Number(position) !== counted.audit) throw new Error(`entry ${position} is in the place of ${counted.audit}`)
      counted.audit += 1
      if (counted.audit % every === 0) await look?.()
    } else if (record.test(line)) counted.receipts += 1
    counted.isComplete = typeof end === 'string' ? line === end : end.test(line)
  }
  return counted
}
