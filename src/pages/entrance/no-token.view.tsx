// A page that is opened by a mailed link, opened without one.
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
