// The time, told again every second: for what runs out while somebody looks at it.
import { useLayoutEffect, useState } from 'preact/hooks'

const TICK_MS = 1_000

export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useLayoutEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
