// Whoever leaves a page with something on it that would be lost is asked first, in the browser's own words.
import { useEffect } from 'preact/hooks'

export function useLeaving(isLost: boolean): void {
  useEffect(() => {
    if (!isLost) return undefined
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isLost])
}
