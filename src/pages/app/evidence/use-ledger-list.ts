// A list that is read from the ledger: a page of it takes a bounded look, and says which entries it could not read.
import { useState } from 'preact/hooks'
import type { List } from '../../../platform/list.schema.ts'
import type { Asked } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { useList, type Listed } from '../../api/use-list.ts'
import { callIn } from '../call-in.ts'

type LedgerPage<T> = List<T> & { unreadable_entries: number }

export function useLedgerList<T>(
  session: Session,
  path: string,
  asked: NonNullable<Asked['query']>,
): { listed: Listed<T>; unreadable: number; isOpening: boolean } {
  const [unreadable, setUnreadable] = useState(0)
  // Before the first answer it is not known whether the tier has a list at all: what stands around it would jump.
  const [isOpening, setOpening] = useState(true)
  const listed = useList<T>(
    async (cursor, signal) => {
      const query = { ...asked, limit: 100, cursor }
      const answer = await callIn<LedgerPage<T>>(session, 'GET', path, { query, signal })
      setOpening(false)
      if (answer.outcome === 'answered') {
        const { unreadable_entries: found } = answer.body
        setUnreadable((before) => (cursor === null ? 0 : before) + found)
      }
      return answer
    },
    [JSON.stringify(asked)],
  )
  return { listed, unreadable, isOpening }
}
