// Whether an exported file is whole: the last line says so, and without it the file was cut off.
import type { ReceivedFile } from '../../api/call.ts'
import { plural } from '../../text/format.ts'

const CUT_OFF = 'It has no last line, so it is not whole: it was cut off. Export it again.'

/** A proof of the end may be long. */
const MOST_LINE_BYTES = 65_536

/** As it may stand in a line for a terminal; null where it may not. */
export const nameForTerminal = ({ name }: ReceivedFile): string | null => (/^\w[\w.-]*$/.test(name) ? name : null)

const lastLineOf = async ({ content }: ReceivedFile): Promise<string> =>
  (await content.slice(-MOST_LINE_BYTES).text()).trimEnd().split('\n').at(-1) ?? ''

/** @param object of the last line @param counted the member that counts what is in the file @param onNext is told where the next begins */
export const endOfLines =
  (object: string, counted: 'entries' | 'receipts', onNext: (cursor: string | null) => void = () => undefined) =>
  async (file: ReceivedFile): Promise<string> => {
    const end = objectIn(await lastLineOf(file))
    if (end['object'] !== object) return CUT_OFF
    const cursor = typeof end['next_cursor'] === 'string' ? end['next_cursor'] : null
    onNext(cursor)
    const count = Number(end[counted])
    const withheld = Number(end['withheld'] ?? 0)
    const missing = withheld === 0 ? '' : `, ${plural(withheld, 'entry', 'entries')} withheld`
    const next = cursor === null ? '' : ' These days have more: save the next part too.'
    return `It is whole: ${counted === 'entries' ? plural(count, 'entry', 'entries') : plural(count, 'receipt')}${missing}.${next}`
  }

export const endOfTable = async (file: ReceivedFile): Promise<string> =>
  /^"?complete"?,/.test(await lastLineOf(file)) ? 'It is whole.' : CUT_OFF

function objectIn(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
