// Entries of the log that should be there and cannot be read: never passed over in silence.
import { plural } from '../../text/format.ts'

export const UnreadableEntries = ({ count }: { count: number }) =>
  count === 0 ? null : (
    <div class="notice warn" role="status">
      <p>{plural(count, 'entry', 'entries')} of the log cannot be read</p>
      <p>They should be there, and what they say is not among these. Tell the operator.</p>
    </div>
  )
