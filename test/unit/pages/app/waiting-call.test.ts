import { describe, expect, it } from 'vitest'
import { waitingOf } from '../../../../src/pages/app/calls/waiting-call.ts'

const approval = (state: 'pending' | 'approved' | null) => ({
  id: 'apr',
  state,
  requested_at: null,
  attestation_id: null,
  index: null,
})

describe('a call that waits', () => {
  it.each([
    ['pending', 'Waits for a person', 'now'],
    ['approved', 'Not sent again yet', 'later'],
    [null, 'Held for a person', undefined],
  ] as const)('is told by the state of its approval: %s', (state, name, at) => {
    expect(waitingOf({ ending: 'awaiting_approval', approval: approval(state) })?.step).toEqual({ name, state: at })
  })

  it('is none that a person denied', () => {
    expect(waitingOf({ ending: 'denied', approval: approval(null) })).toBeNull()
  })
})
