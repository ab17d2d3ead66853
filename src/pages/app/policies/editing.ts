// What the parts of the form share: the document as it is written, how a member of it is changed, and what is wrong with it.
import { memberOf, withMember, type Written } from './draft.ts'

export type Editing = {
  document: Written
  /** @param value undefined takes the member away */
  set: (path: readonly string[], value: unknown) => void
  /** What the service says of a member, or of what is in it. */
  faultOf: (path: readonly string[]) => string | null
}

export const editingOf = (
  document: Written,
  onDocument: (document: Written) => void,
  /** What the service says is wrong with it. */
  fields: readonly { path: string; rule: string }[],
): Editing => ({
  document,
  set: (path, value) => onDocument(withMember(document, path, value)),
  faultOf: (path) => {
    const at = path.join('.')
    const faults = fields.map(({ path: of, rule }) => ({ path: of.replaceAll(/\[(\d+)\]/g, '.$1'), rule }))
    const fault = faults.find((one) => one.path === at || one.path.startsWith(`${at}.`))
    if (fault === undefined) return null
    const within = fault.path.slice(at.length + 1)
    return within === '' ? fault.rule : `${within}: ${fault.rule}`
  },
})

export const valueAt = ({ document }: Editing, path: readonly string[]): unknown => memberOf(document, path)

/** The texts of a list; what is no text is left to the JSON. */
export const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
