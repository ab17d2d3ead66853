// Says of a file that has arrived whether it is whole, by its last line.
import type { ReceivedFile } from '../../api/send-request.ts'
import { plural } from '../../text/format.ts'

export const CUT_OFF = 'It has no last line, so it is not whole: it was cut off. Make it again.'

/** The bytes at the end of a file in which the last line is searched. A proof in that line may be long. */
const MOST_LINE_BYTES = 65_536

export const lastLineOf = async ({ content }: ReceivedFile): Promise<string> =>
  (await content.slice(-MOST_LINE_BYTES).text()).trimEnd().split('\n').at(-1) ?? ''

/** Says whether a file is whole. @param object its last line's `object` @param counted the member with the count */
export const describeLinesExport =
  (object: string, counted: 'entries' | 'receipts', onNext: (cursor: string | null) => void = () => undefined) =>
  async (file: ReceivedFile): Promise<string> => {
    const end = objectIn(await lastLineOf(file))
    if (end['object'] !== object) return CUT_OFF
    const cursor = typeof end['next_cursor'] === 'string' ? end['next_cursor'] : null
    onNext(cursor)
    const count = Number(end[counted])
    const withheld = Number(end['withheld'] ?? 0)
    const missing = withheld === 0 ? '' : `, ${plural(withheld, 'entry', 'entries')} withheld`
    const next = cursor === null ? '' : ' These days have more: make the next part too.'
    return `Complete: ${counted === 'entries' ? plural(count, 'entry', 'entries') : plural(count, 'record')}, none missing${missing}.${next}`
  }

function objectIn(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Says what the evidence of a list has. It shows nothing of other calls, so it is not called complete. */
export async function describeSelection(file: ReceivedFile): Promise<string> {
  const end = objectIn(await lastLineOf(file))
  if (end['object'] !== 'selection_export.end') return CUT_OFF
  const has = `${plural(Number(end['calls']), 'call')}, with proofs.`
  return end['next_cursor'] === null ? has : `${has} The list has more: choose fewer days for each file.`
}
