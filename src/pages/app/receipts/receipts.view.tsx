// Medical receipts: the list of them, or the one that the address names.
import type { Session } from '../../api/session.ts'
import { useAddress } from '../../api/use-address.ts'
import { ForRoles } from '../for-roles.view.tsx'
import { ReceiptDetail } from './receipt-detail.view.tsx'
import { ReceiptList } from './receipt-list.view.tsx'

export function Receipts({ session }: { session: Session }) {
  const [members] = useAddress()
  const id = members.get('id')
  return (
    <ForRoles session={session} permission="receipts:read" what="medical receipts">
      {id === null || id === '' ? (
        <ReceiptList session={session} members={members} />
      ) : (
        <ReceiptDetail key={id} session={session} id={id} />
      )}
    </ForRoles>
  )
}
