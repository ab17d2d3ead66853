// Entries of the log that could not be read when calls were counted: never passed over in silence.
import { plural } from '../../text/format.ts'

export const Uncounted = ({ count }: { count: number }) =>
  count === 0 ? null : (
    <p class="notice warn">
      {plural(count, 'entry', 'entries')} of the log could not be read when calls were counted: what they told is in no
      figure here.
    </p>
  )
