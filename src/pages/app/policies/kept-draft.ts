// Keeps a draft of the policy that is not in force yet: it survives leaving the page, in its tab.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { readJsonObject } from '../../../platform/json.ts'
import { keepInTab, keptInTab } from '../../api/tab-storage.ts'
import { useUnsavedWarning } from '../../parts/form.view.tsx'
import { isLocalChosen } from '../../parts/times.view.tsx'
import { dayOfTime, formatMinute, formatTime } from '../../text/format.ts'
import { organisation, session } from '../session.ts'

/** The version that was in force when it was begun, and when it was last changed. */
export type KeptDraft = { version: number; at: string; text: string }

const keptName = (): string => `policy-draft ${organisation().id} ${session().user.id}`

export function keptDraft(): KeptDraft | null {
  const { version, at, text } = readJsonObject(keptInTab(keptName()))
  return typeof version === 'number' && typeof at === 'string' && typeof text === 'string'
    ? { version, at, text }
    : null
}

/** Keeps the text while it differs from what is in force. A browser that does not keep it asks before the page is left. */
export function useKeptDraft(text: string, isWritten: boolean, version: number): void {
  const [isKept, setKept] = useState(true)
  // A version that comes into force later does not make it a draft of that one.
  const begun = useRef(keptDraft())
  useLayoutEffect(() => {
    const before = begun.current
    if (!isWritten) begun.current = null
    else if (text !== before?.text)
      begun.current = { version: before?.version ?? version, at: new Date().toISOString(), text }
    setKept(keepInTab(keptName(), begun.current && JSON.stringify(begun.current)))
  }, [text, isWritten])
  useUnsavedWarning(isWritten && !isKept)
}

/** The time of a draft of today, and the day of an older one. */
export function formatDraftTime(at: string): string {
  const isLocal = isLocalChosen()
  const isToday = dayOfTime(at, isLocal) === dayOfTime(new Date().toISOString(), isLocal)
  const time = isToday ? formatTime(at, isLocal).slice(0, 'HH:MM'.length) : formatMinute(at, isLocal)
  return isLocal ? time : `${time} UTC`
}
