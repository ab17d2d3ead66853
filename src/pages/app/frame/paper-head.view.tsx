// What a printed page begins with: whose it is, when and by whom it was printed, and its address.
import { useLayoutEffect, useState } from 'preact/hooks'
import { exactTime } from '../../parts/times.view.tsx'
import { linkForOthers, session } from '../session.ts'
import { Hash } from '../../parts/layout.view.tsx'

export function PaperHead() {
  const [at, setAt] = useState(() => new Date().toISOString())
  useLayoutEffect(() => {
    const now = (): void => setAt(new Date().toISOString())
    addEventListener('beforeprint', now)
    return () => removeEventListener('beforeprint', now)
  }, [])
  const { user, organisation } = session()
  return (
    <>
      <b>{organisation?.name}</b>
      <span>
        Printed {exactTime(at)} by {user.name}, from <Hash>{linkForOthers(location.href)}</Hash>
      </span>
    </>
  )
}
