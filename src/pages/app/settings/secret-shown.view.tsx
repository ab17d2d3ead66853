// The secret of the webhook, this once: it goes when the dialog does, and no part of the page keeps it.
import { CopyButton } from '../../parts/copy-button.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { useLeaving } from '../../parts/use-leaving.ts'

export function SecretShown({ secret, onStored }: { secret: string; onStored: () => void }) {
  useLeaving(true)
  return (
    <Dialog title="The secret of the webhook" isHeld onClose={onStored}>
      <p>
        Messages are signed with it, as Standard Webhooks has them. It is shown this once and stored nowhere: put it
        where your receiver reads it, then close this.
      </p>
      <p class="row">
        <span class="hash">{secret}</span>
        <CopyButton text={secret} what="the secret" />
      </p>
      <p class="row">
        <button type="button" class="button first" onClick={onStored}>
          I have stored it
        </button>
        <a href="/docs/notifications">How a receiver checks it</a>
      </p>
    </Dialog>
  )
}
