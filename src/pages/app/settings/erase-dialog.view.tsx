// Asks for the erasure of the organisation: when, and its name.
import { useState } from 'preact/hooks'
import type { Problem } from '../../api/call.ts'
import { NameTyped } from './name-typed.view.tsx'

type Given = {
  name: string
  /** One is asked for already: it can only be brought forward. */
  isScheduled: boolean
  onErase: (name: string, isImmediate: boolean) => Promise<Problem | null>
  onClose: () => void
}

export function EraseDialog({ name, isScheduled, onErase, onClose }: Given) {
  const [isImmediate, setImmediate] = useState(isScheduled)
  return (
    <NameTyped
      title="Erase the organisation"
      name={name}
      verb={isImmediate ? 'Erase it at once' : 'Erase it in seven days'}
      act={(typed) => onErase(typed, isImmediate)}
      onClose={onClose}
    >
      <fieldset class="stack">
        <legend>When</legend>
        {!isScheduled && (
          <label class="choice">
            <input type="radio" name="when" checked={!isImmediate} onChange={() => setImmediate(false)} />
            <span>
              <strong>After seven days.</strong> From now on every key is refused, calls under way end and nothing can
              be changed. People can look, export and cancel until then.
            </span>
          </label>
        )}
        <label class="choice">
          <input type="radio" name="when" checked={isImmediate} onChange={() => setImmediate(true)} />
          <span>
            <strong>At once.</strong> It begins now and nothing can be cancelled.
          </span>
        </label>
      </fieldset>
      <p>
        Everything sealed, keys, settings, members, usage and costs go. Leaf hashes, ids of receipts and the signed
        record of the erasure stay. All owners are told by mail.
      </p>
    </NameTyped>
  )
}
