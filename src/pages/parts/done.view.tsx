// What has just been done. The keyboard goes on from here: the button that did it may be gone with its row.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Shown anew for each act: give it a `key` that tells them apart. */
export function Done({ children }: { children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => element.current?.focus(), [])
  return (
    <div ref={element} class="notice good" role="status" tabIndex={-1}>
      {children}
    </div>
  )
}
