// A key as it is shown once: nothing here keeps it but this dialog.
import type { Key } from '../../../keys/key.schema.ts'
import { Command } from '../../parts/command.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { useLeaving } from '../../parts/use-leaving.ts'
import { firstLine, stub, type CreatedKey } from './key-words.ts'

type Given = {
  created: CreatedKey
  /** The one that it takes the place of, as it is by now; null where it is new. */
  old: Key | null
  onStored: () => void
}

export function Secret({ created, old, onStored }: Given) {
  useLeaving(true)
  return (
    <Dialog title={old === null ? 'Your new key' : 'The new key'} isHeld onClose={onStored}>
      <p>
        <strong>{created.name}</strong> is shown now and never again. Store it where the program that uses it reads its
        secrets.
      </p>
      <Command line={created.key} what="the key" />
      {old !== null && (
        <p>
          The old key {stub(old)}{' '}
          {old.status === 'active' && old.expires_at !== null ? (
            <>
              works on and ends <Moment at={old.expires_at} />. Put the new one in its place before that.
            </>
          ) : (
            'does not work any more.'
          )}
        </p>
      )}
      <p>A first request with it:</p>
      <Command line={firstLine(created)} />
      <p class="row">
        <button type="button" class="button first" onClick={onStored}>
          I have stored it
        </button>
      </p>
    </Dialog>
  )
}
