// Whoever leaves a page with something on it that would be lost is asked first, in the browser's own words.
import { useLayoutEffect } from 'preact/hooks'

let parts = 0

/** Whether anything on the page would be lost. */
export const isAnythingLost = (): boolean => parts > 0

export function useLeaving(isLost: boolean): void {
  useLayoutEffect(() => {
    if (!isLost) return undefined
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    parts += 1
    return () => {
      removeEventListener('beforeunload', ask)
      parts -= 1
    }
  }, [isLost])
}
