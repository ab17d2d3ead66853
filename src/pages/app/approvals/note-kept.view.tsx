// What shows later that a note was given: the bytes before it, told once.
import { Command } from '../../parts/command.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'

export function NoteKept({ note, salt, onDone }: { note: string; salt: string; onDone: () => void }) {
  return (
    <Dialog title="Keep your note" isHeld onClose={onDone}>
      <p>
        The record of your decision has the SHA-256 of these 32 bytes and your note. With both, anybody can check later
        that this was the note; without the bytes nobody can find it by guessing. They are shown now and never again,
        but where your organisation keeps content.
      </p>
      <Command line={note} what="the note" />
      <Command line={salt} what="the bytes before it, in hexadecimal" />
      <p class="row">
        <button type="button" class="button first" onClick={onDone}>
          Done
        </button>
      </p>
    </Dialog>
  )
}
