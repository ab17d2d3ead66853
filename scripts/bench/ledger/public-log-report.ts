// When the one object of the public log is full, from what a receipt and a head take in it.
import { plainTable } from '../workerd/report.ts'

const DATABASE_BYTES = 8 * 2 ** 30

/** One every five seconds. */
const MOST_HEADS_A_DAY = 86_400 / 5

export type PublicLogWeight = { leaf: number; head: number }

/** Receipts a day of all organisations together; as many heads as there can be. */
export function reportPublicLog({ leaf, head }: PublicLogWeight): string {
  const rows = [10_000, 100_000, 1_000_000].map((receiptsADay) => {
    const bytesADay = receiptsADay * leaf + Math.min(receiptsADay, MOST_HEADS_A_DAY) * head
    const days = DATABASE_BYTES / bytesADay
    const [millions, years] = [(receiptsADay * days) / 1e6, days / 365]
    return [String(receiptsADay), `${millions.toFixed(1)} million`, years.toFixed(1)]
  })
  const table = plainTable([['receipts a day', 'receipts until 8 GiB', 'years until then'], ...rows])
  return `The public log: ${leaf.toFixed(0)} bytes a receipt, ${head.toFixed(0)} bytes a head\n\n${table}`
}
