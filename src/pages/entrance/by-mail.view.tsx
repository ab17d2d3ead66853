// Parts of the pages that mailed links lead to: the page without its link, and the hint to look for the mail.
import { Button } from '../parts/button.view.tsx'
import { OpenedHeading } from '../parts/notices.view.tsx'
import type { ComponentChildren } from 'preact'
import { Notice } from '../parts/blocks.view.tsx'

/** The notice for a page opened without its link. @param of names the mail: “the mail that …” */
export function NoToken({ of, children }: { of: string; children?: ComponentChildren }) {
  return (
    <Notice title={`Open this page by the link in ${of}.`}>
      <p>
        The link works once, and is in this page’s address for a moment only: when the page is loaded again, open the
        link again.
      </p>
      {children}
    </Notice>
  )
}

type Given = { email: string; children: ComponentChildren; onAgain: () => void }

/** Asks the person to look for a mail. It does not reveal whether the address has an account. */
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
        <Button onClick={onAgain}>Back to the form</Button>
      </p>
    </div>
  )
}

const SKIP_LINK = '#page'

const tokenIn = (hash: string): string | null => (hash === '' || hash === SKIP_LINK ? null : hash.slice(1))

/** Takes the token from the address. Returns null if the page was opened without one. */
export function takeToken(): string | null {
  // A second link in the same tab changes only the part after the #, so the browser loads nothing.
  addEventListener('hashchange', () => {
    if (tokenIn(location.hash) !== null) location.reload()
  })
  const token = tokenIn(location.hash)
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  return token
}
