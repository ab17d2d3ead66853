// Reads values of a control's evidence by name, for sentences. A report may lack a value that this version knows.
import type { EvidenceValues } from '../controls/control.ts'

export type ReadEvidence = ReturnType<typeof readEvidence>

export const readEvidence = (values: EvidenceValues) => ({
  /** Returns 0 if there is no such number. */
  number: (name: string): number => {
    const value = values[name]
    return typeof value === 'number' ? value : 0
  },
  text: (name: string): string => {
    const value = values[name]
    return typeof value === 'string' ? value : 'none'
  },
  /** Returns how many names a list has, those that are only counted too (“and 3 more”). */
  length: (name: string): number => {
    const value = values[name]
    if (!Array.isArray(value)) return 0
    const more = /^and (\d+) more$/.exec(value.at(-1) ?? '')?.[1]
    return more === undefined ? value.length : value.length - 1 + Number(more)
  },
  isTrue: (name: string): boolean => values[name] === true,
  isFalse: (name: string): boolean => values[name] === false,
  isMissing: (name: string): boolean => values[name] == null,
})
