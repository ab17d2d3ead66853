// A mail is on its way, perhaps: nothing here tells whether the address is known.
import type { ComponentChildren } from 'preact'
import { OpenedHeading } from '../parts/opened-heading.view.tsx'

type Given = { email: string; children: ComponentChildren; onAgain: () => void }

export function LookInMail({ email, children, onAgain }: Given) {
  return (
    <div class="card stack">
      <OpenedHeading>Look into your mail</OpenedHeading>
      <p>
        What comes next was mailed to <strong>{email}</strong>.
      </p>
      {children}
      <p class="soft">
        Nothing came? Look among the unwanted mail, wait a minute, and check the address above for a mistake. Some
        services send no mail at all: whoever runs this one can tell you.
      </p>
      <p>
        <button type="button" class="button" onClick={onAgain}>
          Back to the form
        </button>
      </p>
    </div>
  )
}
