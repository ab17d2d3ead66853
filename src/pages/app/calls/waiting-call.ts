// The words for a call that waits, by what is known of its approval.
import type { Call } from '../../../management/calls/calls.schema.ts'

type Waiting = { step: { name: string; state?: 'now' | 'later' }; means: string }

/** A call that waits, by the state of its approval: its ending is the same once a person has approved it. */
const WAITING: Readonly<Record<string, Waiting>> = {
  pending: { step: { name: 'Waits for a person', state: 'now' }, means: 'It waits for a person’s decision.' },
  approved: {
    step: { name: 'Not sent again yet', state: 'later' },
    means: 'A person approved it, and the program has not sent it again.',
  },
}

/** Returns null for a call that does not wait. */
export const waitingOf = ({ ending, approval }: Pick<Partial<Call>, 'ending' | 'approval'>): Waiting | null =>
  ending === 'awaiting_approval'
    ? (WAITING[approval?.state ?? ''] ?? {
        step: { name: 'Held for a person' },
        means: 'Your policy held it for a person.',
      })
    : null
