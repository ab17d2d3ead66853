// A page that is opened by a mailed link, opened without one.
import { Button } from '../parts/button.view.tsx'
import { OpenedHeading } from '../parts/notices.view.tsx'
import type { ComponentChildren } from 'preact'

/** @param of which mail: “the mail that …” */
export function NoToken({ of, children }: { of: string; children?: ComponentChildren }) {
  return (
    <div class="notice stack">
      <p>Open this page by the link in {of}.</p>
      <p>
        The link works once, and is in this page’s address for a moment only: when the page is loaded again, open the
        link again.
      </p>
      {children}
    </div>
  )
}

type Given = { email: string; children: ComponentChildren; onAgain: () => void }

/** A mail is on its way, perhaps: nothing here tells whether the address is known. */
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

/** Null where the page was opened without one. */
export function takeToken(): string | null {
  // Another link that is opened in the same tab changes nothing but what stands after the #.
  addEventListener('hashchange', () => {
    if (tokenIn(location.hash) !== null) location.reload()
  })
  const token = tokenIn(location.hash)
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  return token
}
