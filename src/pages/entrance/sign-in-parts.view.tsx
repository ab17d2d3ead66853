// Shared by the pages before sign-in: notices, the title, and the tokens of mailed links.
import { Button } from '../parts/button.view.tsx'
import { useLayoutEffect } from 'preact/hooks'
import { Notice } from '../parts/page-blocks.view.tsx'
import type { ComponentChildren } from 'preact'
import { Soft } from '../parts/layout.view.tsx'

const OWN_NAMES = new Set(['localhost', '127.0.0.1'])

/** Warns about plain http: others can read what is typed, and the session works only on this machine's own names. */
export function InsecureNotice() {
  if (location.protocol === 'https:' || OWN_NAMES.has(location.hostname)) return null
  return (
    <Notice tone="warn" role="note" title="This page came over plain http.">
      Others on the network can read what you type, and your browser will drop the session, so signing in seems to do
      nothing. Open it by its https address or, on the machine that it runs on, by localhost.
    </Notice>
  )
}

/** The notice for a page opened without its link. @param of what contains the link, such as “the invitation” */
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

/** Replaces the title of the page, without its lead. It takes the focus, so that the keyboard continues there. */
export function NewTitle({ children }: { children: string }) {
  useLayoutEffect(() => {
    const [title, lead] = document.querySelectorAll<HTMLElement>('h1, h1 + p')
    if (title === undefined || lead === undefined) return
    const { textContent } = title
    Object.assign(title, { textContent: children, tabIndex: -1 }).focus()
    lead.hidden = true
    return () => {
      title.textContent = textContent
      lead.hidden = false
    }
  }, [children])
  return null
}

export const focusFirstField = (): void => document.querySelector<HTMLElement>('#island input')?.focus()

type LookProps = { email: string; children: ComponentChildren; onAgain: () => void }

/** Asks the person to look for a mail. Does not reveal whether the e-mail address has an account. */
export function LookInMail({ email, children, onAgain }: LookProps) {
  const goBack = (): void => {
    onAgain()
    requestAnimationFrame(focusFirstField)
  }
  return (
    <>
      <NewTitle>Look into your mail</NewTitle>
      <p>
        The next step was mailed to <strong>{email}</strong>.
      </p>
      {children}
      <Soft as="p">
        Nothing came? Look in the spam folder, wait a minute, and check the address above for a mistake. Some services
        send no mail: ask the operator of this one.
      </Soft>
      <p>
        <Button onClick={goBack}>Back to the form</Button>
      </p>
    </>
  )
}

/** Any other hash is a place on the page. */
const tokenIn = (hash: string): string | null => /^#((?:[fh]\.)?[\w-]{43})$/.exec(hash)?.[1] ?? null

/** Takes the token from the URL. Returns null if the page was opened without one. */
export function takeToken(): string | null {
  // A second link in the same tab changes only the part after the #, so the browser loads nothing.
  addEventListener('hashchange', () => {
    if (tokenIn(location.hash) !== null) location.reload()
  })
  const token = tokenIn(location.hash)
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  return token
}
