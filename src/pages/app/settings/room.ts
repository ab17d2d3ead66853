// What the sections of the settings share: the settings as they were last answered, and the one way to change them.
import type { Settings, UpdateSettings } from '../../../management/settings/settings.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Membership, Session } from '../../api/session.ts'

export type Room = {
  session: Session
  organisation: Membership
  settings: Settings
  mayChange: boolean
  /** Made only where nobody has changed them since they were answered. Null: it is made. */
  change: (wanted: UpdateSettings) => Promise<Problem | null>
  /** Takes the settings as they are by now, and with them what each form shows. */
  reload: () => void
}
