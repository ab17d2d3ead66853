// The seconds before a decision is sent, in which it can be undone. Leaving the request or the page undoes it too.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/button.view.tsx'
import { useUniqueId } from '../../parts/field-frame.view.tsx'
import { useUnsavedWarning } from '../../parts/form.view.tsx'
import { OnlyRead, OnlySeen, Text } from '../../parts/layout.view.tsx'
import { CardFoot } from '../../parts/surfaces.view.tsx'
import { showToast } from '../../parts/toast.view.tsx'
import { DECISION_WORDS, type Decision } from './approval-words.ts'

const SECONDS = 5

/** Removes the message that a decision before this one was not sent. */
let forgetLast = (): void => {}

type Props = { decision: Decision; onUndo: () => void; onEnd: () => void }

export function UndoDecision({ decision, onUndo, onEnd }: Props) {
  const [left, setLeft] = useState(SECONDS)
  const isEnded = useRef(false)
  const id = useUniqueId()
  useUnsavedWarning(true)
  // Each second has its own timer, so after sleep or in a hidden tab the wait is longer, never shorter.
  useLayoutEffect(() => {
    const timer = setTimeout(() => {
      isEnded.current = left === 1
      if (isEnded.current) onEnd()
      else setLeft(left - 1)
    }, 1_000)
    return () => clearTimeout(timer)
  }, [left])
  useLayoutEffect(() => {
    forgetLast()
    const undoOnEscape = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') onUndo()
    }
    addEventListener('keydown', undoOnEscape)
    // The browser may keep the page and its timer for the way back.
    addEventListener('pagehide', onUndo)
    return () => {
      removeEventListener('keydown', undoOnEscape)
      removeEventListener('pagehide', onUndo)
      if (!isEnded.current) forgetLast = showToast('Your decision was not sent.')
    }
  }, [])
  return (
    <CardFoot look="row between bar">
      <OnlyRead role="status" id={id}>
        {DECISION_WORDS[decision]}: signed in {SECONDS} seconds
      </OnlyRead>
      {/* Undo is at the far end, so that no double click presses it. */}
      <Text size="small" isNumber>
        <OnlySeen>
          {DECISION_WORDS[decision]}: signed in {left} s
        </OnlySeen>
      </Text>
      <Button isFocused describedBy={id} onClick={onUndo}>
        Undo
      </Button>
    </CardFoot>
  )
}
