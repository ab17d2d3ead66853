// What a printed page says of where it is from: there on paper alone.
import type { Session } from '../../api/session.ts'
import { formatMoment } from '../../text/format.ts'

/** @param what the hash is of */
export const PrintSource = ({ session, hash, what }: { session: Session; hash: string; what: string }) => (
  <footer class="only-print small">
    <p>
      {session.organisation?.name}, from <span class="hash">{location.href}</span>, printed{' '}
      {formatMoment(new Date(), false)} by {session.user.name}.
    </p>
    <p>
      SHA-256 of {what}: <span class="hash">{hash}</span>
    </p>
  </footer>
)
