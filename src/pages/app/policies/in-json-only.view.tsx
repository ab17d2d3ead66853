// What the policy says that the form has no place for: it is named, and stays as the JSON has it.
import { isMembers } from './draft.ts'

type Given = {
  /** Of the document, of a rule, or of a case. */
  value: unknown
  /** The members that the form asks for. */
  shown: readonly (string | undefined)[]
}

export function InJsonOnly({ value, shown }: Given) {
  const others = isMembers(value) ? Object.keys(value).filter((name) => !shown.includes(name)) : []
  if (others.length === 0) return null
  return (
    <p class="soft">
      Also set, in the JSON, and kept: <code>{others.join(', ')}</code>
    </p>
  )
}
