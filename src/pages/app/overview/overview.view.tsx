// The first page of the dashboard.
import type { Session } from '../../api/session.ts'

export function Overview({ session }: { session: Session }) {
  return <p>{session.user.name}</p>
}
